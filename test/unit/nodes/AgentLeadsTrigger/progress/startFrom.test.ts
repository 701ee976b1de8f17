import { expect, it } from '@jest/globals';

import type { StartFrom } from '../../../../../nodes/AgentLeadsTrigger/progress/startFrom';
import { startTime } from '../../../../../nodes/AgentLeadsTrigger/progress/startFrom';
import { DAY, HOUR, MINUTE } from '../../../../lab/polling/leadsModel';
import { LOOK_BACK, NOON } from '../../../../lab/polling/progress';

it.each<[string, StartFrom, boolean, number]>([
	['a minute and the doubt before an activation', 'activation', true, 3 * MINUTE],
	['a look-back before the first poll after a crash', 'activation', false, HOUR],
	['a day before any poll', 'last24Hours', true, DAY],
	['30 days before any poll', 'last30Days', false, 30 * DAY],
])('leads are delivered from %s on', (_name, startFrom, isActivation, agoMs) => {
	const beginning = { startFrom, isActivation, now: NOON, doubtMs: 2 * MINUTE };

	expect(startTime({ ...beginning, lookBackMs: LOOK_BACK })).toBe(NOON - agoMs);
});
