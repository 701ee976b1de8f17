import type { INodeExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { SECOND_MS } from '../../service/basics/times';
import type { RunEmitter, RunEnd } from '../common/runs/emitter';
import { isKeySpent } from '../common/runs/emitter';

/**
 * How long the sender of a push waits at most for n8n's answer. If n8n does not know by then whether the run is stored,
 * it asks the sender to push again later.
 */
const ANSWER_WITHIN_MS = 10 * SECOND_MS;

/**
 * Makes the key of an attempt to start a run for a lead. n8n refuses a second run with the same key. The first attempt
 * has the number 1.
 */
type KeyOf = (attempt: number) => string;

/**
 * The state of a lead's run, as far as this process knows it: n8n has stored the run, has not stored it, has listed it
 * as failed although no node ran (`notStarted`; the stored execution then contains no part of the lead), or has not
 * answered in time (`unknown`). A run that existed before counts as stored.
 */
export type Storage = 'stored' | 'notStored' | 'notStarted' | 'unknown';

/**
 * Starts a run for a lead, unless the lead already has one.
 *
 * @param keyOf makes the key by which n8n refuses a second run; it is called with the number of the attempt
 * @returns the state of the run, after 10 seconds at most
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

/**
 * Derives the state of a run from its result. n8n stores a run before it starts it, so every run that started is
 * stored.
 */
function storageOf(end: RunEnd | 'begun'): Storage {
	return end === 'notStarted' || end === 'notStored' ? end : 'stored';
}
