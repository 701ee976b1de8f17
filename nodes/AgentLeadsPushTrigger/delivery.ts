import type { INodeExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { SECOND_MS } from '../../service/basics/times';
import type { RunEmitter, RunEnd } from '../common/runs/emitter';
import { isKeySpent } from '../common/runs/emitter';

/** A sender does not wait for longer: it comes again, and gets the answer then. */
const ANSWER_WITHIN_MS = 10 * SECOND_MS;

/** The key of each attempt to run the lead, from 1. */
type KeyOf = (attempt: number) => string;

/**
 * Whether n8n has a run of the lead: a new one, or one that it had before. One that was not started is listed as failed, and has
 * nothing of the lead.
 */
export type Storage = 'stored' | 'notStored' | 'notStarted' | 'unknown';

/**
 * Starts a run of a lead, unless it has one.
 *
 * @param keyOf see `runKeyOf`
 * @returns what is known of it after some seconds at most
 */
export async function deliver(
	emitter: RunEmitter,
	item: INodeExecutionData,
	keyOf: KeyOf,
): Promise<Storage> {
	let attempt = 1;
	while (isKeySpent(keyOf(attempt))) attempt++;
	const { asked } = emitter.ask(item, keyOf(attempt));
	return await Promise.race([
		asked.outcome.then(storageOf),
		sleep(ANSWER_WITHIN_MS).then(() => 'unknown' as const),
	]);
}

/** n8n begins a run only once it has stored it. */
function storageOf(end: RunEnd | 'begun'): Storage {
	return end === 'notStarted' || end === 'notStored' ? end : 'stored';
}
