import type { IPollFunctions } from 'n8n-workflow';

import { ServiceClock } from '../../service/basics/clock';
import type { ServiceError } from '../../service/failure';
import type { DeliveredLeads } from './target/deliveredLeads';
import type { Progress } from './target/storedProgress';

/** What a process remembers of a node between its polls, beside what n8n stores. */
export interface NodeMemory {
	clock: ServiceClock;
	/**
	 * How far the last poll came without handing anything over, and the number of the stored
	 * progress that it went on from: many hosts do not store what such a poll wrote.
	 */
	unstored?: { from: number; progress: Progress };
	/** How far the polls of this process came, unless the last one handed leads over. */
	reached?: Progress;
	/** The newest progress of this process that n8n stores: how many polls there were. */
	storedPolls?: number;
	/** The poll under way. */
	current?: Promise<unknown>;
	/** What was delivered up to the last poll: under a new name of the node nothing is stored. */
	delivered?: DeliveredLeads;
	/** The last poll that handed leads to n8n: how many polls there were, and when (epoch ms). */
	handedOver?: { polls: number; at: number };
	/** Scopes that were not answered when they were asked last, by key. */
	failing: Map<string, Failing>;
	/** When n8n's log was told of something that goes on, by what it is (epoch ms). */
	told: Map<string, number>;
}

/** All in epoch milliseconds but the wait. */
interface Failing {
	failure: ServiceError;
	since: number;
	lastAt: number;
	reportedAt?: number;
	/** How long to wait after the last time, in milliseconds. */
	waitMs: number;
}

/** A longer wait is nobody's wish. */
const LONGEST_WAIT_MS = 60 * 60_000;

const TELL_EVERY_MS = 60 * 60_000;

/** How long a host may take to store what it was handed, before it counts as not stored. */
const STORED_WITHIN_MS = 10_000;

/** The budget that n8n names where it sets no limit of its own. */
const UNLIMITED_BUDGET_MS = 300_000;

const memories = new Map<string, NodeMemory>();

/** Contexts that have polled: n8n's scheduler keeps one for all polls of an active workflow. */
const polled = new WeakSet<IPollFunctions>();

export function memoryOf(context: IPollFunctions): NodeMemory {
	const key = `${context.getWorkflow().id ?? ''}:${context.getNode().id}`;
	const known = memories.get(key);
	if (known) return known;
	const memory: NodeMemory = { clock: new ServiceClock(), failing: new Map(), told: new Map() };
	memories.set(key, memory);
	return memory;
}

/**
 * Whether this is the poll with which n8n tries a trigger out while it activates a workflow: the
 * first one of its context, and asked once for each. Hosts with durable cursors make a context for
 * each later poll, and give it a limit of time.
 */
export function claimFirstPoll(context: IPollFunctions): boolean {
	if (polled.has(context)) return false;
	polled.add(context);
	return (budgetOf(context) ?? UNLIMITED_BUDGET_MS) === UNLIMITED_BUDGET_MS;
}

/** The milliseconds that the host gives a poll, where it says so. */
export function budgetOf(
	context: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>,
): number | undefined {
	return context.getPollBudgetMs?.();
}

export function noteFailure({ failing }: NodeMemory, key: string, failure: ServiceError): void {
	const now = Date.now();
	const waitMs = Math.min(failure.details.retryAfterMs ?? 0, LONGEST_WAIT_MS);
	failing.set(key, { since: now, ...failing.get(key), failure, lastAt: now, waitMs });
}

/** Whether the service has asked for a longer wait for a scope. */
export function isToWait({ failing }: NodeMemory, key: string): boolean {
	const { lastAt, waitMs } = failing.get(key) ?? { lastAt: 0, waitMs: 0 };
	const elapsedMs = Date.now() - lastAt;
	// A clock that went back must not make it longer.
	return elapsedMs >= 0 && elapsedMs < waitMs;
}

/** Somebody publishes the workflow, and wants to know what the service says now. */
export function forgetWaits({ failing }: NodeMemory): void {
	for (const each of failing.values()) each.waitMs = 0;
}

/** Whether n8n's log is to be told of something that goes on: once an hour. Notes that it is. */
export function isToTell({ told }: NodeMemory, what: string): boolean {
	const now = Date.now();
	const elapsedMs = Math.abs(now - (told.get(what) ?? -Infinity));
	if (elapsedMs < TELL_EVERY_MS) return false;
	told.set(what, now);
	return true;
}

/**
 * Whether the progress that n8n hands to a poll is from before the leads that it was handed last:
 * it stores both together, a moment later. Polling from it would deliver them again.
 */
export function isBehind({ handedOver }: NodeMemory, polls: number): boolean {
	if (!handedOver || polls >= handedOver.polls) return false;
	return Math.abs(Date.now() - handedOver.at) < STORED_WITHIN_MS;
}
