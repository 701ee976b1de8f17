import { setImmediate as settled } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';
import type { IDataObject, INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';

import type { RunEnd } from '../../../../../nodes/common/runs/emitter';
import { hasQueueWorkers, RunEmitter } from '../../../../../nodes/common/runs/emitter';
import type { Deferred } from '../../../../lab/deferred';
import { createDeferredPromise } from '../../../../lab/deferred';

const ITEM = { json: { id: 'a' } };

/** What a workflow lacks, as n8n says it. */
const ISSUES = "The 'Target' node has issues:\n- Credentials are missing";

/** How n8n says what became of a run; it has none if it knew the key. */
type Done = Deferred<IRun | undefined>;

interface Emission {
	items: INodeExecutionData[];
	key?: string;
	done: Done;
	response?: Response;
}

/** What the run answers, as a webhook's does. */
interface Response {
	resolve: (response: IDataObject) => void;
	reject: (error: Error) => void;
}

let keys = 0;

/** A key that no test before has used. */
const newKey = () => `agentLead:workflow:applicant:${++keys}`;

function emitterOf(nodeId = 'node-1', { isOfPushes = false, alwaysOutputData = false } = {}) {
	const emissions: Emission[] = [];
	const emit = (
		[items = []]: INodeExecutionData[][],
		response: Response | undefined,
		done: Done,
		key: string,
	) => emissions.push({ items, done, response, key });
	const part: { [K in keyof ITriggerFunctions]?: unknown } = {
		getNode: () => ({ id: nodeId, alwaysOutputData }),
		emit,
		helpers: { createDeferredPromise },
	};
	const context = part as unknown as ITriggerFunctions;
	return { emitter: new RunEmitter(context, isOfPushes), context, emissions };
}

const runOf = (status: string, message?: string, more: IDataObject = {}) =>
	({
		status,
		data: { resultData: message ? { error: { message } } : {} },
		...more,
	}) as unknown as IRun;

/** What becomes of a run that n8n settles so. */
async function outcomeOf(settle: (done: Done) => void) {
	const { emitter, emissions } = emitterOf();
	const outcome = emitter.start(ITEM, newKey());
	for (const { done } of emissions) settle(done);
	return await outcome;
}

describe('what became of a run', () => {
	it.each<[string, string | undefined, RunEnd]>([
		['success', undefined, 'succeeded'],
		['waiting', undefined, 'succeeded'],
		['error', 'The mailbox is full', 'failed'],
		['crashed', undefined, 'failed'],
		['canceled', 'The execution was cancelled manually', 'stopped'],
		['canceled', undefined, 'stopped'],
		['canceled', 'The execution was cancelled because it timed out', 'failed'],
		['error', 'Worker failed to find data for execution 12 (job 7)', 'refused'],
		['error', ISSUES, 'notStarted'],
		['crashed', ISSUES, 'failed'],
		['error', 'The workflow has issues and cannot be executed for that reason.', 'notStarted'],
	])('is told by %s with the error “%s”: %s', async (status, message, end) => {
		const outcome = await outcomeOf(({ resolve }) => resolve(runOf(status, message)));

		// Of a run that failed n8n does not always say who carried it out.
		expect(outcome).toBe(end);
	});

	it.each([{ data: undefined }, { data: {} }])(
		'is told if n8n kept nothing of it: %j',
		async (kept) => {
			const outcomes = ['success', 'crashed', 'canceled'].map(
				async (status) => await outcomeOf(({ resolve }) => resolve(runOf(status, undefined, kept))),
			);

			const ends = await Promise.all(outcomes);
			expect(ends).toEqual(['succeeded', 'failed', 'stopped']);
		},
	);

	it.each([
		{ jobId: '7' },
		{ data: { resultData: { runData: { Trigger: [] }, error: { message: ISSUES } } } },
	])('is a failure if it had begun, whatever another workflow lacks: %j', async (more) => {
		const outcome = await outcomeOf(({ resolve }) => resolve(runOf('error', ISSUES, more)));

		expect(outcome).toBe('failed');
		expect(hasQueueWorkers()).toBe(true);
	});

	it('is none if n8n has dropped it without beginning it, nor is one of the same key asked for', async () => {
		const [first, second] = [emitterOf('node-1'), emitterOf('node-2')];
		const key = newKey();
		const outcome = first.emitter.start(ITEM, key);
		first.emissions[0]?.done.reject(new Error('No active execution found'));

		expect(await outcome).toBe('notStarted');
		expect(await second.emitter.start(ITEM, key)).toBe('notStarted');
		expect(second.emissions).toEqual([]);
	});

	it('is none if n8n knew the key', async () => {
		expect(await outcomeOf(({ resolve }) => resolve(undefined))).toBe('refused');
	});

	it.each([
		['manual', 'stopped'],
		['timeout', 'failed'],
		['shutdown', 'failed'],
		[undefined, 'notStored'],
	])('is told by a rejection with the reason %s: %s', async (reason, end) => {
		const error = Object.assign(new Error('No'), reason && { reason });

		expect(await outcomeOf(({ reject }) => reject(error))).toBe(end);
	});
});

describe('a run', () => {
	it('says that it has begun before it has ended, if it is of a push', async () => {
		const [push, poll] = [emitterOf('node-1', { isOfPushes: true }), emitterOf('node-2')];
		const [pushed, polled] = [push, poll].map(({ emitter }) => emitter.ask(ITEM, newKey()).asked);
		push.emissions[0]?.response?.resolve({});

		expect(await pushed?.outcome).toBe('begun');
		expect(poll.emissions[0]?.response).toBeUndefined();
		poll.emissions[0]?.done.resolve(runOf('success'));
		expect(await polled?.outcome).toBe('succeeded');
	});

	it('that cannot begin says so by its end alone', async () => {
		const { emitter, emissions } = emitterOf('node-1', { isOfPushes: true });
		const { asked } = emitter.ask(ITEM, newKey());

		emissions[0]?.response?.reject(new Error('No'));
		emissions[0]?.done.resolve(runOf('error', 'No'));

		expect(await asked.outcome).toBe('failed');
	});

	it('fails if n8n’s emit does', async () => {
		const { emitter } = emitterOf();
		Object.assign(emitter, {
			context: {
				getNode: () => ({ id: 'node-1' }),
				helpers: { createDeferredPromise },
				emit: () => {
					throw new Error('No');
				},
			},
		});

		expect(await emitter.start(ITEM, newKey())).toBe('notStored');
	});
});

describe('of two triggers of a workflow', () => {
	it('the second one leaves the lead to the first, once its run has ended', async () => {
		const [first, second] = [emitterOf('node-1'), emitterOf('node-2')];
		const key = newKey();
		void first.emitter.start(ITEM, key);
		const outcome = second.emitter.start(ITEM, key);
		await settled();
		expect(second.emissions).toEqual([]);

		first.emissions[0]?.done.resolve(runOf('error', 'No'));

		expect(await outcome).toBe('taken');
		expect(second.emissions).toEqual([]);
	});

	it.each<[string, string, RunEnd]>([
		['may run it again if it has failed', 'error', 'failed'],
		['leaves it alone if it has succeeded', 'success', 'taken'],
	])('the second one, of a lead that was pushed, %s', async (_name, status, end) => {
		const [push, poll] = [emitterOf('node-1', { isOfPushes: true }), emitterOf('node-2')];
		const key = newKey();
		void push.emitter.start(ITEM, key);
		const outcome = poll.emitter.start(ITEM, key);

		push.emissions[0]?.done.resolve(runOf(status));

		expect(await outcome).toBe(end);
		expect(poll.emissions).toEqual([]);
	});

	it.each<[string, (done: Done) => void]>([
		['refused', ({ resolve }) => resolve(undefined)],
		['not stored', ({ reject }) => reject(new Error('No'))],
	])('the second one asks for a run that was %s', async (_name, settle) => {
		const [first, second] = [emitterOf('node-1'), emitterOf('node-2')];
		const key = newKey();
		void first.emitter.start(ITEM, key);
		void second.emitter.start(ITEM, key);

		for (const { done } of first.emissions) settle(done);
		await settled();

		expect(second.emissions).toHaveLength(1);
	});
});

it('the second of two triggers leaves a lead to the first whose run has ended already', async () => {
	const [first, second] = [emitterOf('node-1'), emitterOf('node-2')];
	const key = newKey();
	const outcome = first.emitter.start(ITEM, key);
	first.emissions[0]?.done.resolve(runOf('success'));
	await outcome;

	expect(await second.emitter.start(ITEM, key)).toBe('taken');
	expect(second.emissions).toEqual([]);
});

describe('an empty run', () => {
	it('is not started where nodes after the trigger would get it', async () => {
		const { emitter, emissions } = emitterOf('node-1', { alwaysOutputData: true });

		await emitter.persist('a key');

		expect(emissions).toEqual([]);
	});
});
