import { jsonParse } from 'n8n-workflow';

import { UnreadableProgress } from '../common/storedValues';
import type { PropertyState } from './compare';

/**
 * The last state of a property that the trigger knows. If a record differs from this state, the property has changed.
 */
export interface KnownProperty extends PropertyState {
	/**
	 * When the property was last modified, if the service says so (epoch ms). It is one millisecond earlier if the
	 * property was read so soon afterwards that another change may get the same time. The property's row in a list then
	 * looks newer, so the property is read once more.
	 */
	modified?: number;
	/**
	 * The number of changes of this property that were delivered. As a part of the key of a change's run, it
	 * distinguishes a change from an equal change at a later time.
	 */
	changes: number;
}

/** The last known state of each property, by the property's ID. */
export type KnownProperties = Map<string, KnownProperty>;

/**
 * Writes the known states of properties as text: `5017,325000,Available,,Xb3_a0,1782820755,2` is property 5017 at
 * £325,000, available, not archived, with a hash of its other values, the time at which it was modified (in seconds
 * since 1970) and the number of its changes that were delivered.
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
		// Decoding the stored state of a property fails if its text was not written by this version of the package.
	}
	throw new UnreadableProgress(stored);
}
