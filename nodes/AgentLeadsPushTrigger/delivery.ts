import type { INodeExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { keepNewest } from '../../service/basics/remembered';
import { SECOND_MS } from '../../service/basics/times';
import type { RunEmitter, RunEnd } from '../common/runs/emitter';
import { isKeySpent, MOST_KEYS } from '../common/runs/emitter';

/** A sender does not wait for longer: it comes again, and gets the answer then. */
const ANSWER_WITHIN_MS = 10 * SECOND_MS;

/** The key of each attempt to run the lead, from 1. */
type KeyOf = (attempt: number) => string;

/**
 * Whether n8n has a run of the lead: a new one, or one that it had before. One that was not started is listed as failed, and has
 * nothing of the lead.
 */
export type Storage = 'stored' | 'known' | 'notStored' | 'notStarted' | 'unknown';

/** The newest runs that this process asked for, by their first keys: n8n need not refuse what is known here. */
const asked = new Map<string, Promise<Storage>>();

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
	const earlier = asked.get(keyOf(1))?.then((known) => (known === 'stored' ? 'known' : known));
	const storage = earlier ?? ask(emitter, item, keyOf);
	return await Promise.race([storage, sleep(ANSWER_WITHIN_MS).then((): Storage => 'unknown')]);
}

function ask(emitter: RunEmitter, item: INodeExecutionData, keyOf: KeyOf): Promise<Storage> {
	const first = keyOf(1);
	let attempt = 1;
	while (isKeySpent(keyOf(attempt))) attempt++;
	const storage = new Promise<Storage>((resolve) => {
		// n8n runs a node only once the run is stored.
		const onBegun = () => resolve('stored');
		void emitter.start(item, keyOf(attempt), onBegun).then((end) => resolve(storageOf(end)));
	});
	asked.set(first, storage);
	keepNewest(asked, MOST_KEYS);
	void storage.then((known) => {
		if (known !== 'stored' && known !== 'known') asked.delete(first);
	});
	return storage;
}

function storageOf(end: RunEnd): Storage {
	if (end === 'notStarted' || end === 'notStored') return end;
	return end === 'refused' || end === 'taken' ? 'known' : 'stored';
}
