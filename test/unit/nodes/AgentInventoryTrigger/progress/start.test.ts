import { expect, it } from '@jest/globals';

import type { StartFrom } from '../../../../../nodes/AgentInventoryTrigger/progress/start';
import {
	INVENTORY_STARTS,
	inventoryStart,
} from '../../../../../nodes/AgentInventoryTrigger/progress/start';
import { LOOK_BACK, NOON } from '../../../../lab/polling/inventory/agency';

const MINUTE = 60_000;

it.each<[string, StartFrom, boolean, boolean, number]>([
	['a minute before an activation', 'activation', true, true, MINUTE],
	['ten minutes before that if the clock is in doubt', 'activation', true, false, 11 * MINUTE],
	['a look-back before the first poll after a crash', 'activation', false, true, LOOK_BACK],
	['ten minutes before that as well', 'activation', false, false, LOOK_BACK + 10 * MINUTE],
	['a look-back before an activation, if that is chosen', 'lookBack', true, true, LOOK_BACK],
	['a look-back before any other poll', 'lookBack', false, true, LOOK_BACK],
])('a property is new that was created %s', (_name, startFrom, isActivation, isTold, agoMs) => {
	const occasion = { startFrom, isActivation, isTold, now: NOON, lookBackMs: LOOK_BACK };

	expect(inventoryStart(occasion)).toBe(NOON - agoMs);
});

it('the values of “Start From” stay the same, since workflows have them stored', () => {
	expect(INVENTORY_STARTS).toEqual(['activation', 'lookBack']);
});
