import { jsonParse } from 'n8n-workflow';

import { UnreadableProgress } from '../common/storedValues';
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

/** By property ID. */
export type KnownProperties = Map<string, KnownProperty>;

/**
 * The text that is stored: `5017,325000,Available,,Xb3_a0,1782820755,2` is property 5017 at £325,000, available, not archived, with a
 * hash of the rest, the time at which it was modified (in seconds since 1970) and how many of its changes were delivered.
 */
export function writeKnown(known: KnownProperties): string {
	return [...known].map(writeProperty).join(';');
}

/** @throws UnreadableProgress */
export function readKnown(stored: string): KnownProperties {
	return new Map(stored === '' ? [] : stored.split(';').map(readKnownProperty));
}

function writeProperty([id, property]: [string, KnownProperty]): string {
	const { price, status, archived, rest, modified, changes } = property;
	const texts = [id, JSON.stringify(price), status].map(encodeURIComponent).join(',');
	const time = modified === undefined ? '' : modified / 1_000;
	return `${texts},${archived ? 'archived' : ''},${rest},${time},${changes}`;
}

function readKnownProperty(stored: string): [string, KnownProperty] {
	const parts = stored.split(',');
	const [id = '', price = '', status = '', archived, rest = '', modified, changes] = parts;
	const times = [Number(modified), Number(changes)];
	if (parts.length !== 7 || times.some(Number.isNaN)) throw new UnreadableProgress(stored);
	try {
		return [
			decodeURIComponent(id),
			{
				price: jsonParse<KnownProperty['price']>(decodeURIComponent(price)),
				status: decodeURIComponent(status),
				archived: archived === 'archived',
				rest,
				modified: modified === '' ? undefined : Math.round(Number(modified) * 1_000),
				changes: Number(changes),
			},
		];
	} catch {
		// A part is no text, or no JSON, that this version writes.
	}
	throw new UnreadableProgress(stored);
}
