import sortBy from 'lodash/sortBy';
import type { INodeExecutionData } from 'n8n-workflow';

import { leadJson } from '../common/leads/simplifyLead';
import type { BegunPoll } from '../common/polling/pollForItems';
import { pollForItems } from '../common/polling/pollForItems';
import type { PollOccasion } from './asking';
import { Asking } from './asking';
import type { LeadToRun } from './leadTracker';
import type { Progress } from './progress/storedProgress';

/** A longer backlog is delivered by several polls: n8n holds an execution's items in memory. */
const MOST_LEADS = 10_000;

/** A poll that hands over all of its leads in one run. */
export async function pollForOneRun(
	occasion: PollOccasion,
): Promise<INodeExecutionData[][] | null> {
	return await pollForItems(occasion, async (known) => await beginPoll(occasion, known));
}

async function beginPoll(occasion: PollOccasion, known: Progress): Promise<BegunPoll<Progress>> {
	const { memory, settings } = occasion;
	const isNamedAnew = memory.format.isEmpty(known);
	const delivered = ((isNamedAnew && memory.handed?.delivered) || known.delivered).copy();
	const found: LeadToRun[] = [];
	const basket = {
		add: (lead: LeadToRun) => found.push(lead),
		room: () => MOST_LEADS - found.length,
	};
	const asking = new Asking(occasion, { targets: known.targets, delivered }, basket);
	const session = await asking.begin();
	return {
		begun: { ...known, targets: new Map([...known.targets, ...asking.reached]) },
		leaveKnown: () => asking.leaveKnownTargets(),
		ask: async () => await asking.ask(session),
		reached: (polls) => ({ polls, targets: asking.reached, delivered }),
		items: () => sortBy(found, 'time').map((lead) => toItem(lead, settings.simplify)),
	};
}

function toItem({ lead, leadType, gap }: LeadToRun, simplify: boolean): INodeExecutionData {
	const json = leadJson(lead, leadType, simplify);
	return { json: gap ? { ...json, gap } : json };
}
