import type { INodeExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { SECOND_MS } from '../../service/basics/times';
import type { RunEnd } from '../common/runs/runOutcome';
import type { Starter } from '../common/runs/startRun';

/** A sender does not wait for longer: it comes again, and is told then. */
const ANSWER_WITHIN_MS = 10 * SECOND_MS;

/** More than the leads that are pushed again within a day. */
const MOST_PUSHED = 20_000;

/** Whether n8n has a run of the lead. */
export type Storage = 'stored' | 'unstored' | 'unknown';

/** The newest runs that this process asked for, by their keys: n8n need not refuse what is known here. */
const asked = new Map<string, Promise<Storage>>();

/**
 * Starts a run of a lead, unless it has one.
 *
 * @param key tells the lead in its workflow; see `runKeyOf`
 * @returns what is known of it after some seconds at most
 */
export async function deliver(
	starter: Starter,
	item: INodeExecutionData,
	key: string,
): Promise<Storage> {
	const storage = asked.get(key) ?? ask(starter, item, key);
	return await Promise.race([storage, sleep(ANSWER_WITHIN_MS).then((): Storage => 'unknown')]);
}

function ask(starter: Starter, item: INodeExecutionData, key: string): Promise<Storage> {
	const storage = new Promise<Storage>((resolve, reject) => {
		// n8n runs a node only once the run is stored.
		const onBegun = () => resolve('stored');
		starter.start(item, key, onBegun).then(({ end }) => resolve(storageOf(end)), reject);
	});
	rememberPush(key, storage);
	void storage.then((known) => known === 'stored' || asked.delete(key));
	return storage;
}

function rememberPush(key: string, storage: Promise<Storage>): void {
	asked.set(key, storage);
	const [oldest = key] = asked.keys();
	if (asked.size > MOST_PUSHED) asked.delete(oldest);
}

function storageOf(end: RunEnd): Storage {
	return end === 'unstored' ? 'unstored' : 'stored';
}
