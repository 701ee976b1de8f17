import type { INodeExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { keepNewest } from '../../service/basics/remembered';
import { SECOND_MS } from '../../service/basics/times';
import type { RunEmitter, RunEnd } from '../common/runs/emitter';

/** A sender does not wait for longer: it comes again, and is told then. */
const ANSWER_WITHIN_MS = 10 * SECOND_MS;

/** More leads than are pushed again within a day, or not started. */
const MOST_LEADS = 20_000;

/** By the number of the attempt, from 1. */
type KeyOf = (attempt: number) => string;

/**
 * Whether n8n has a run of the lead: a new one, or one that it had before. One that was not started is listed as failed, and has
 * nothing of the lead.
 */
export type Storage = 'stored' | 'known' | 'notStored' | 'notStarted' | 'unknown';

/** The newest runs that this process asked for, by their keys: n8n need not refuse what is known here. */
const asked = new Map<string, Promise<Storage>>();

/** How many runs of a lead n8n has not started, by the key of the first: it keeps the key of each. */
const notStarted = new Map<string, number>();

/**
 * Starts a run of a lead, unless it has one.
 *
 * @param keyOf the key of each attempt to run the lead; see `runKeyOf`
 * @returns what is known of it after some seconds at most
 */
export async function deliver(
	emitter: RunEmitter,
	item: INodeExecutionData,
	keyOf: KeyOf,
): Promise<Storage> {
	const earlier = asked.get(keyOf(1))?.then((known) => (known === 'stored' ? 'known' : known));
	const storage = earlier ?? ask(emitter, item, keyOf);
	return await Promise.race([storage, sleep(ANSWER_WITHIN_MS).then((): Storage => 'unknown')]);
}

function ask(emitter: RunEmitter, item: INodeExecutionData, keyOf: KeyOf): Promise<Storage> {
	const key = keyOf(1);
	const runsNotStarted = notStarted.get(key) ?? 0;
	const storage = new Promise<Storage>((resolve) => {
		// n8n runs a node only once the run is stored.
		const onBegun = () => resolve('stored');
		emitter.start(item, keyOf(runsNotStarted + 1), onBegun).then(
			(end) => resolve(storageOf(end)),
			() => resolve('notStored'),
		);
	});
	asked.set(key, storage);
	keepNewest(asked, MOST_LEADS);
	void storage.then((known) => {
		if (known === 'notStarted') notStarted.set(key, runsNotStarted + 1);
		if (known === 'stored' || known === 'known') notStarted.delete(key);
		else asked.delete(key);
		keepNewest(notStarted, MOST_LEADS);
	});
	return storage;
}

function storageOf(end: RunEnd): Storage {
	if (end === 'notStarted' || end === 'notStored') return end;
	return end === 'refused' || end === 'taken' ? 'known' : 'stored';
}
