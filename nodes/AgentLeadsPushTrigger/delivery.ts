import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { SECOND_MS } from '../../service/basics/times';
import type { RunEnd } from '../AgentLeadsTrigger/runs/handOver';
import type { Starter } from '../AgentLeadsTrigger/runs/startRun';

/** A sender may not wait for longer: it comes again, and is told then. */
const ANSWER_WITHIN_MS = 10 * SECOND_MS;

/** Whether n8n has a run of the lead. */
export type Storage = 'stored' | 'unstored' | 'unknown';

/** What to call as soon as a run with this item has begun. */
const waiting = new WeakMap<IDataObject, () => void>();

/** Runs that were asked for, by their keys, until n8n is known to have them. */
const pending = new Map<string, Promise<Storage>>();

/** A run has begun, so it is stored: n8n runs a node only then. */
export function noteBegun({ json }: INodeExecutionData): void {
	waiting.get(json)?.();
}

/**
 * Starts a run of a lead, unless it has one.
 *
 * @returns what is known of it after some seconds at most
 */
export async function deliver(
	starter: Starter,
	item: INodeExecutionData,
	key: string,
): Promise<Storage> {
	const stored = pending.get(key) ?? begin(starter, item, key);
	return await Promise.race([stored, sleep(ANSWER_WITHIN_MS).then((): Storage => 'unknown')]);
}

async function begin(starter: Starter, item: INodeExecutionData, key: string): Promise<Storage> {
	const begun = new Promise<Storage>((resolve) => waiting.set(item.json, () => resolve('stored')));
	const ended = starter.start(item, key).then(({ end }) => storageOf(end));
	const stored = Promise.race([begun, ended]);
	pending.set(key, stored);
	return await stored.finally(() => pending.delete(key));
}

function storageOf(end: RunEnd): Storage {
	return end === 'unstored' ? 'unstored' : 'stored';
}
