import type { IDataObject } from 'n8n-workflow';

import type { PollTerms } from '../../../../nodes/AgentInventoryTrigger/progress/agencyPoll';
import type { AgencyProgress } from '../../../../nodes/AgentInventoryTrigger/progress/agencyProgress';
import type { KnownProperty } from '../../../../nodes/AgentInventoryTrigger/progress/knownProperties';
import { KnownProperties } from '../../../../nodes/AgentInventoryTrigger/progress/knownProperties';
import { stateOf } from '../../../../nodes/AgentInventoryTrigger/progress/propertyState';
import { isoSeconds } from '../../../../service/basics/times';
import { clockTold } from '../clockTold';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const NOON = Date.parse('2026-03-02T12:00:00Z');
export const LOOK_BACK = HOUR;

/** Up to when the lists were read. */
export const POLLED_AT = NOON - 5 * MINUTE;

/** When what is known was modified. */
export const YESTERDAY = NOON - DAY;

/** A clock that the service has told its time at noon, `offMs` ahead of the host's. */
export const toldClock = (offMs = 0) => clockTold(NOON, offMs);

/** What the agencies of a poll at noon share. */
export function termsWith(more: Partial<PollTerms> = {}): PollTerms {
	return {
		clock: toldClock(),
		startedAt: NOON,
		isActivation: false,
		startFrom: 'activation',
		lookBackMs: LOOK_BACK,
		scope: 'all',
		chosen: (events) => events,
		isOpen: () => false,
		holds: false,
		...more,
	};
}

/** A whole record of a property that was modified yesterday. */
export function recordOf(id: string, more: IDataObject = {}): IDataObject {
	return {
		id,
		...{ price: 325_000, inventoryStatus: 'Available', archived: false, bedrooms: 3 },
		createdDate: '2025-06-01T09:00:00Z',
		modifiedDate: isoSeconds(YESTERDAY),
		...more,
	};
}

/** A row of a list. */
export function rowOf(id: string, modified?: number): IDataObject {
	return { id, ...(modified !== undefined && { modifiedAt: isoSeconds(modified) }) };
}

/** A property that is known as `recordOf` has it. */
export function knownAs(more: Partial<KnownProperty> = {}): KnownProperty {
	const state = stateOf(recordOf('5017'));
	return { ...state, modified: YESTERDAY, isFresh: false, changes: 0, ...more };
}

/** All lists were read up to a time. */
export function listsAt(watermark: number): AgencyProgress['lists'] {
	return { current: { watermark }, archived: { watermark }, created: { watermark } };
}

/** An agency that was polled shortly before noon, and begun the day before. */
export function agencyWith(more: Partial<AgencyProgress> = {}): AgencyProgress {
	return {
		scope: 'all',
		begunAt: YESTERDAY,
		start: YESTERDAY,
		lists: listsAt(POLLED_AT),
		known: new KnownProperties(''),
		pending: new Map(),
		begun: new Map(),
		...more,
	};
}

/** What is known of some properties. */
export function knownOf(properties: Record<string, KnownProperty>): KnownProperties {
	const known = new KnownProperties('');
	for (const [id, property] of Object.entries(properties)) known.set(id, property);
	return known;
}
