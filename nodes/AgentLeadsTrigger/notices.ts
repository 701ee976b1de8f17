import { isoSeconds } from '../../service/basics/times';
import type { TimeWindow } from '../../service/leads/windows';

/** What n8n's log is told beside failures, for people. */

export function gapNotice({ from, to }: TimeWindow): string {
	return `Leads submitted between ${isoSeconds(from)} and ${isoSeconds(to)} may be missing: the service keeps leads for 30 days, and these could not be fetched in that time.`;
}

/** @param share such as “7 of 9” */
export function straysNotice(share: string, { from, to }: TimeWindow): string {
	return `${share} leads are outside the period that was asked for, ${isoSeconds(from)} to ${isoSeconds(to)}. If this continues, the service may not know the parameters: check From Time Parameter Name and To Time Parameter Name in the options. Each lead is still delivered once.`;
}

export function besidePushesNotice(): string {
	return 'Leads are pushed to this workflow as well, and Runs is One per Poll: a lead that comes both ways has two runs. Set Runs to One per Lead, and it has one.';
}
