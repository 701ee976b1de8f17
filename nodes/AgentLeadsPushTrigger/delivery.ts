import type { INodeExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { SECOND_MS } from '../../service/basics/times';
import type { RunEmitter, RunEnd } from '../common/runs/emitter';
import { isKeySpent } from '../common/runs/emitter';

/**
 * The longest time that a push waits for its answer. After it, the sender has to push again, and gets the answer
 * then.
 */
const ANSWER_WITHIN_MS = 10 * SECOND_MS;

/** The key of each attempt to run the lead, from 1. */
type KeyOf = (attempt: number) => string;

/**
 * The state of a lead's run in n8n: new, known before, not stored, not started, or unknown. A run that was not
 * started is listed as failed, and contains no part of the lead.
 */
export type Storage = 'stored' | 'notStored' | 'notStarted' | 'unknown';

/**
 * Starts a run of a lead, unless it has one.
 *
 * @param keyOf see `runKeyOf`
 * @returns the state that is known after some seconds at most
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

/** The state of a run by its end. n8n begins a run only after it has stored it. */
function storageOf(end: RunEnd | 'begun'): Storage {
	return end === 'notStarted' || end === 'notStored' ? end : 'stored';
}
