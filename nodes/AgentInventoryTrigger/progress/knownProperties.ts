import { damaged } from '../../common/storedValues';
import type { PropertyState } from './propertyState';

/** What is known of a property. */
export interface KnownProperty extends PropertyState {
	/** When it was last modified, as far as the service says (epoch ms). */
	modified?: number;
	/** Whether it could have been modified once more at this time, after it was read. */
	isFresh: boolean;
	/** How many of its changes were delivered: tells a change from the same one later. */
	changes: number;
}

/** Each has a letter in what is stored; add new ones at the end. */
const LETTERED_STATUSES = [
	...['Unspecified', 'Appraisal', 'Available', 'UnderOffer', 'Completed', 'Let', 'LetAgreed'],
	...['LetMarketing', 'Archived', 'Suspended', 'Withdrawn', 'Instructed', 'NotInstructed'],
	...['ExternallyLet', 'UnderOfferMarketing', 'UnderOfferAvailable', 'Exchanged'],
	...['ExternallySold', 'Reserved'],
];

const ARCHIVED = '!';
const FRESH = '!';
const AS_TEXT = "'";
const AS_NUMBER = '~';

/** Times are counted from 2020 on, so that they are a letter shorter: in seconds, or in milliseconds if they have a fraction. */
const EPOCH_MS = Date.UTC(2020, 0);

/** So many properties are written anew if one of them changes. */
const PART_SIZE = 256;

/** Some of the properties by ID, as they are stored. */
interface Part {
	entries: Map<string, string>;
	/** All of them in one text; unset since one has changed. */
	text?: string;
	/** Whether a copy has the same part. */
	isShared: boolean;
}

/**
 * What is known of an agency’s properties, as a text of about 26 bytes for each: `5017,6yrs,c,Xb3_a0,37vao0,2` is property
 * 5017 at £325,000, available (`c`), with a mark of all the rest, the time at which it was modified and how many
 * of its changes were delivered. It is read once somebody asks for a property, and only what changes is written anew: a busy
 * agency has thousands of properties, and n8n stores this with each run that is started.
 */
export class KnownProperties {
	private parts?: Part[];

	/** Of each property, which part it is in. */
	private places = new Map<string, number>();

	constructor(private written?: string) {}

	get size(): number {
		this.readAll();
		return this.places.size;
	}

	/** Later changes to either of the two are not seen in the other. */
	copy(): KnownProperties {
		const copy = new KnownProperties(this.written);
		if (!this.parts) return copy;
		for (const part of this.parts) part.isShared = true;
		copy.parts = this.parts.map((part) => ({ ...part }));
		copy.places = new Map(this.places);
		return copy;
	}

	/** @throws UnreadableProgress */
	get(id: string): KnownProperty | undefined {
		const entry = this.entryOf(id);
		return entry === undefined ? undefined : read(entry);
	}

	set(id: string, property: KnownProperty): void {
		const entry = write(property);
		if (this.entryOf(id) === entry) return;
		this.put(id, entry);
		delete this.written;
	}

	toString(): string {
		return (this.written ??= this.readAll()
			.map((part) => (part.text ??= writtenPart(part)))
			.join(';'));
	}

	private entryOf(id: string): string | undefined {
		const parts = this.readAll();
		const place = this.places.get(id);
		return place === undefined ? undefined : parts[place]?.entries.get(id);
	}

	private put(id: string, entry: string): void {
		const parts = this.parts ?? [];
		const place = this.places.get(id) ?? this.roomIn(parts);
		const { entries = new Map<string, string>(), isShared = false } = parts[place] ?? {};
		const own = isShared ? new Map(entries) : entries;
		own.set(id, entry);
		parts[place] = { entries: own, isShared: false };
		this.places.set(id, place);
	}

	private roomIn(parts: Part[]): number {
		const last = Math.max(0, parts.length - 1);
		return (parts[last]?.entries.size ?? 0) < PART_SIZE ? last : parts.length;
	}

	private readAll(): Part[] {
		if (this.parts) return this.parts;
		this.parts = [];
		for (const [id, entry] of writtenEntries(this.written ?? '')) this.put(id, entry);
		return this.parts;
	}
}

function writtenPart({ entries }: Part): string {
	return [...entries].map(([id, entry]) => `${encodeURIComponent(id)},${entry}`).join(';');
}

function* writtenEntries(text: string): Generator<[string, string]> {
	if (text === '') return;
	for (const part of text.split(';')) {
		const end = part.indexOf(',');
		if (end < 0) throw damaged(part);
		yield [decoded(part.slice(0, end)), part.slice(end + 1)];
	}
}

/** One property as it is stored. */
export function write(property: KnownProperty): string {
	const { price, status, archived, rest, modified, isFresh, changes } = property;
	const time = `${isFresh ? FRESH : ''}${writeKnownTime(modified)}`;
	const parts = [writePrice(price), writeStatus(status, archived), rest, time];
	return [...parts, ...(changes > 0 ? [changes.toString(36)] : [])].join(',');
}

/** @throws UnreadableProgress */
export function read(entry: string): KnownProperty {
	const [price, status, rest, time, changes = '0', ...more] = entry.split(',');
	const isWhole = price !== undefined && status !== undefined && time !== undefined;
	if (!isWhole || rest === undefined || more.length > 0) throw damaged(entry);
	const isFresh = time.startsWith(FRESH);
	return {
		price: readPrice(price),
		...readStatus(status),
		rest,
		modified: readKnownTime(isFresh ? time.slice(1) : time),
		isFresh,
		changes: fromBase36(changes),
	};
}

function writePrice(price: KnownProperty['price']): string {
	if (price === null) return '';
	if (Number.isSafeInteger(price)) return Number(price).toString(36);
	if (typeof price === 'number') return `${AS_NUMBER}${price}`;
	return `${AS_TEXT}${encodeURIComponent(String(price))}`;
}

function readPrice(text: string): KnownProperty['price'] {
	if (text === '') return null;
	if (text.startsWith(AS_TEXT)) return decoded(text.slice(1));
	return text.startsWith(AS_NUMBER) ? fromDecimal(text.slice(1)) : fromBase36(text);
}

function writeStatus(status: string, archived: boolean): string {
	const index = LETTERED_STATUSES.indexOf(status);
	const letter = index < 0 ? `${AS_TEXT}${encodeURIComponent(status)}` : letterAt(index);
	return `${archived ? ARCHIVED : ''}${letter}`;
}

function readStatus(text: string): Pick<KnownProperty, 'status' | 'archived'> {
	const archived = text.startsWith(ARCHIVED);
	const word = archived ? text.slice(1) : text;
	if (word.startsWith(AS_TEXT)) return { status: decoded(word.slice(1)), archived };
	const status = LETTERED_STATUSES.find((_, index) => letterAt(index) === word);
	if (status === undefined) throw damaged(text);
	return { status, archived };
}

function letterAt(index: number): string {
	return (index + 10).toString(36);
}

/** A time as it is stored; empty if there is none. */
export function writeKnownTime(epochMs: number | undefined): string {
	if (epochMs === undefined) return '';
	const ms = epochMs - EPOCH_MS;
	return ms % 1_000 === 0 ? (ms / 1_000).toString(36) : `${AS_NUMBER}${ms.toString(36)}`;
}

/** @throws UnreadableProgress */
export function readKnownTime(text = ''): number | undefined {
	if (text === '') return undefined;
	if (text.startsWith(AS_NUMBER)) return EPOCH_MS + fromBase36(text.slice(1));
	return EPOCH_MS + fromBase36(text) * 1_000;
}

function fromBase36(text: string): number {
	const number = parseInt(text, 36);
	if (!Number.isSafeInteger(number) || number.toString(36) !== text) throw damaged(text);
	return number;
}

function fromDecimal(text: string): number {
	const number = Number(text);
	if (String(number) !== text) throw damaged(text);
	return number;
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		throw damaged(text);
	}
}
