import { DeliveredLeads } from '../../../nodes/AgentLeadsTrigger/progress/deliveredLeads';
import type { PollTerms } from '../../../nodes/AgentLeadsTrigger/progress/targetPoll';
import { ServiceClock } from '../../../service/basics/clock';
import { clockTold } from './clockTold';
import { LOOK_BACK, NOON } from './progress';

/** What the targets of a poll at noon share. */
export function termsWith(more: Partial<PollTerms> = {}): PollTerms {
	return {
		clock: new ServiceClock(),
		startedAt: NOON,
		isActivation: false,
		client: 'c',
		startFrom: 'activation',
		lookBackMs: LOOK_BACK,
		delivered: new DeliveredLeads(),
		...more,
	};
}

/** A clock that the service has told its time, `offMs` ahead of the host's. */
export const toldClock = (offMs = 0) => clockTold(NOON, offMs);

/** A clock of a service that has answered without telling its time. */
export const untoldClock = () => {
	const clock = new ServiceClock();
	clock.read(undefined, NOON);
	return clock;
};
