import { isoSeconds, MINUTE_MS } from '../../service/basics/times';
import type { LeadType } from '../../service/leads/lead';
import type { TimeWindow } from '../../service/leads/window';

/** What n8n's log is told beside failures, for people. */

export function gapNotice({ from, to }: TimeWindow): string {
	return `Leads submitted between ${isoSeconds(from)} and ${isoSeconds(to)} may be missing: the service keeps leads for 30 days, and it was not asked for longer than that.`;
}

/** @param aheadMs how far the host's clock is ahead of the service's, in milliseconds */
export function clockNotice(aheadMs: number): string {
	const minutes = Math.round(Math.abs(aheadMs) / MINUTE_MS);
	const side = aheadMs > 0 ? 'ahead of' : 'behind';
	return `The clock of the machine that n8n runs on is ${minutes} minutes ${side} the service’s. Set it right: one of the two is wrong.`;
}

/** @param share such as “7 of 9” */
export function straysNotice(share: string, { from, to }: TimeWindow): string {
	return `${share} leads are not from the time that was asked for, ${isoSeconds(from)} to ${isoSeconds(to)}. If this goes on, the service does not know the parameters: check From Time Parameter Name and To Time Parameter Name in the options. Each lead is still delivered once.`;
}

export function oldHostNotice(): string {
	return 'This version of n8n cannot refuse a second run of a lead. Runs: One per Lead starts a run for each lead all the same, but if n8n is killed, its last leads may be lost or run twice. Update n8n to prevent that.';
}

export function noStarterNotice(): string {
	return 'This process of n8n has not started the trigger, and leaves the leads to a later poll, or to the process that has.';
}

export function besidePushesNotice(): string {
	return 'Leads are pushed to this workflow as well, and Runs is One per Poll: a lead that comes both ways has two runs. Set Runs to One per Lead, and it has one.';
}

/** What a person reads of a lead whose runs have all failed. */
export function givenUpNotice(
	{ leadType, key }: { leadType: LeadType; key: string },
	runs: number,
) {
	return {
		message: `The workflow has failed ${runs} times for the ${leadType} lead ${key}, and is not started for it again`,
		description:
			'The failed executions of this lead show why. Once that is put right, choose Retry on the last of them: it goes on from the step that failed. Other leads are not held up.',
	};
}

export function barredNotice({ leadType, key }: { leadType: LeadType; key: string }): string {
	return `n8n did not begin the workflow for the ${leadType} lead ${key}. The failed execution under Executions says why, such as a node without its credential. The lead is not lost: the trigger goes on trying, every 16 minutes or more often, and soon after you publish the workflow again.`;
}

/** What a person reads of a lead whose run n8n cannot store. */
export function stuckNotice({ leadType, key }: { leadType: LeadType; key: string }) {
	return {
		message: `n8n could not start the workflow for the ${leadType} lead ${key}, and goes on trying`,
		description:
			'The log of n8n shows why, such as a database that is locked or full. The lead is not lost: it is tried again every 16 minutes or more often. Other leads are not held up.',
	};
}
