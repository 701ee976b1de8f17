import { damaged } from '../common/storedValues';
import type { PropertyState } from './compare';

/** What is known of a property. */
export interface KnownProperty extends PropertyState {
	/**
	 * When it was last modified, as far as the service says (epoch ms). One millisecond less if it was read so soon afterwards that
	 * another change may have the same time: then its row looks newer, and it is read once more.
	 */
	modified?: number;
	/** How many of its changes were delivered: tells a change from the same one later. */
	changes: number;
}

/** Two marks that `encodeURIComponent` leaves in no text. */
const ARCHIVED = '@';
const AS_TEXT = '=';

/**
 * What is known of an agency's properties, as the text that is stored: `5017,325000,Available,Xb3_a0,1782820755,2` is property 5017 at
 * £325,000, available, with a mark of all the rest, the time at which it was modified (in seconds since 1970) and how many of its
 * changes were delivered. A busy agency has thousands of properties, so each is read only if somebody asks for it.
 */
export class KnownProperties {
	private readonly entries: Map<string, string>;

	private text?: string;

	/** @throws UnreadableProgress */
	constructor(stored: string | KnownProperties = '') {
		this.entries = new Map(typeof stored === 'string' ? entriesOf(stored) : stored.entries);
		if (typeof stored !== 'string') this.text = stored.text;
	}

	get size(): number {
		return this.entries.size;
	}

	/** @throws UnreadableProgress */
	get(id: string): KnownProperty | undefined {
		const entry = this.entries.get(id);
		return entry === undefined ? undefined : readKnownProperty(entry);
	}

	set(id: string, property: KnownProperty): void {
		this.entries.set(id, writeProperty(property));
		delete this.text;
	}

	toString(): string {
		return (this.text ??= [...this.entries]
			.map(([id, entry]) => `${encodeURIComponent(id)},${entry}`)
			.join(';'));
	}
}

function* entriesOf(stored: string): Generator<[string, string]> {
	if (stored === '') return;
	for (const part of stored.split(';')) {
		const end = part.indexOf(',');
		if (end < 0) throw damaged(part);
		yield [decoded(part.slice(0, end)), part.slice(end + 1)];
	}
}

/** One property as it is stored. */
export function writeProperty(property: KnownProperty): string {
	const { price, status, archived, rest, modified, changes } = property;
	const asText = typeof price === 'string' ? `${AS_TEXT}${encodeURIComponent(price)}` : price;
	return [
		asText ?? '',
		`${archived ? ARCHIVED : ''}${encodeURIComponent(status)}`,
		rest,
		modified === undefined ? '' : modified / 1_000,
		...(changes > 0 ? [changes] : []),
	].join(',');
}

/** @throws UnreadableProgress */
export function readKnownProperty(entry: string): KnownProperty {
	const [price = '', status = '', rest, modified, changes = '0', ...more] = entry.split(',');
	if (rest === undefined || modified === undefined || more.length > 0) throw damaged(entry);
	const isArchived = status.startsWith(ARCHIVED);
	return {
		price: price === '' ? null : readPrice(price),
		status: decoded(isArchived ? status.slice(1) : status),
		archived: isArchived,
		rest,
		modified: modified === '' ? undefined : Math.round(storedNumber(modified) * 1_000),
		changes: storedNumber(changes),
	};
}

function readPrice(text: string): string | number {
	return text.startsWith(AS_TEXT) ? decoded(text.slice(1)) : storedNumber(text);
}

function storedNumber(text: string): number {
	const number = Number(text);
	if (text === '' || !Number.isFinite(number)) throw damaged(text);
	return number;
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		throw damaged(text);
	}
}
