import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type {
	IDataObject,
	INodeExecutionData,
	IPollFunctions,
	IRun,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';

import { NodeMemory } from '../../../../../nodes/common/polling/nodeMemory';
import { keepRunning, pollWithRuns } from '../../../../../nodes/common/polling/pollWithRuns';
import type {
	AnyProgress,
	ProgressFormat,
	RunTracker,
} from '../../../../../nodes/common/polling/progress';
import type { TaskWords } from '../../../../../nodes/common/runs/notices';
import {
	asLogLine,
	givenUpNotice,
	noEmitterNotice,
	notStartedNotice,
} from '../../../../../nodes/common/runs/notices';
import type { QueueTerms } from '../../../../../nodes/common/runs/queue';
import { RunQueue } from '../../../../../nodes/common/runs/queue';
import { createDeferredPromise } from '../../../../lab/deferred';
import { EVERYTHING_BUT_DATE } from '../../../../lab/engine/bench';
import type { IsPartOf } from '../../../../lab/polling/hostedTrigger';
import { HOUR, MINUTE, ModelService, SECOND } from '../../../../lab/polling/leadsModel';
import { Agenda, settled } from '../../../../lab/polling/runs/agenda';
import type { Done } from '../../../../lab/polling/runs/database';
import { sleepBy, sleepOfPackage } from '../../../../lab/polling/runs/packageCode';
import type { NamedTask } from '../../../../lab/polling/runs/namedTask';
import { workflowNode } from '../../../../lab/workflowNode';

jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async (ms: number) => await sleepOfPackage(ms),
}));

const WORDS: TaskWords<NamedTask> = {
	...{ one: 'letter', many: 'letters' },
	title: ({ name }) => `the letter ${name}`,
};

interface LettersProgress extends AnyProgress {
	names: string[];
}

/** Hands over letters, which count as delivered once they have ended. */
class Letters implements RunTracker<LettersProgress, NamedTask> {
	readonly queue: RunQueue<NamedTask>;
	restarts = 0;
	private readonly ended: string[] = [];

	constructor({ runs }: LettersProgress, terms: QueueTerms) {
		this.queue = new RunQueue(runs, terms, ({ name }) => this.ended.push(name));
	}

	get progress(): LettersProgress {
		return { polls: 1, names: [...this.ended], runs: this.queue.stored };
	}

	leave(): LettersProgress {
		return { polls: 1, names: [...this.ended, ...[...this.queue.run()].map(({ name }) => name)] };
	}

	restart(): void {
		this.restarts++;
	}

	adopt(): void {}
}

/** As it is stored: `runs` only if it may be. */
const FORMAT: ProgressFormat<LettersProgress> = {
	read: ({ started }) => ({
		...{ polls: 0, names: [] },
		...(typeof started === 'object' && {
			runs: {
				started: new Map(Object.entries(started as Record<string, number>)),
				notStarted: new Map(),
			},
		}),
	}),
	write: (stored, { names, runs }) => {
		Object.assign(stored, { names, runs: runs && Object.fromEntries(runs.started) });
	},
	isEmpty: () => false,
};

interface Emission {
	items: INodeExecutionData[];
	key?: string;
	/** What was stored when n8n was asked. */
	stored: IDataObject;
	end(run: IRun | undefined): Promise<void>;
	fail(error: Error): Promise<void>;
}

let agenda: Agenda;
let service: ModelService;
let nodes = 0;

beforeEach(() => {
	jest.useFakeTimers({ doNotFake: [...EVERYTHING_BUT_DATE] });
	service = new ModelService(true, 0, 1);
	agenda = new Agenda(service);
	sleepBy(agenda);
});

afterEach(() => {
	jest.restoreAllMocks();
	jest.useRealTimers();
});

interface BenchSettings {
	runAgain?: number;
	/** Until when a poll may go on, from now (ms), of a host with durable cursors. */
	durableMs?: number;
	alwaysOutputData?: boolean;
	stored?: IDataObject;
}

/** A node whose polls find the letters that the test adds. */
function bench(settings: BenchSettings = {}) {
	const { runAgain = 0, durableMs, alwaysOutputData = false } = settings;
	const node = { ...workflowNode({ name: 'Letters', type: 'letters' }), alwaysOutputData };
	node.id = `letters-${++nodes}`;
	const memory = new NodeMemory<LettersProgress, NamedTask, Letters>(FORMAT);
	const stored: IDataObject = settings.stored ?? {};
	const [emissions, log, errors]: [Emission[], string[], Error[]] = [[], [], []];
	const steps: string[] = [];
	const emit = (
		[items = []]: INodeExecutionData[][],
		_response: unknown,
		done: Done,
		fullKey: string,
	) => {
		// Starters of a process know the keys of all nodes.
		const key = fullKey.replace(`${node.id} `, '');
		steps.push(`emit ${key}`);
		emissions.push({
			...{ items, stored: structuredClone(stored), key },
			end: async (run) => {
				done.resolve(run);
				await settled();
			},
			fail: async (error) => {
				done.reject(error);
				await settled();
			},
		});
	};
	const shared = { getNode: () => node, getWorkflow: () => ({ id: 'workflow', active: true }) };
	const triggerContext: IsPartOf<ITriggerFunctions> = {
		...shared,
		emit,
		helpers: { createDeferredPromise },
	};
	const pollContext: IsPartOf<IPollFunctions> = {
		...shared,
		getWorkflowStaticData: () => stored,
		getTimezone: () => 'Europe/London',
		...(durableMs !== undefined && { getPollBudgetMs: () => durableMs }),
		logger: {
			info: (text: string) => log.push(`info: ${text}`),
			warn: (text: string) => log.push(`warn: ${text}`),
		},
		__emitError: (error: Error) => errors.push(error),
		__commitCursor: async () => {
			steps.push('commit');
			await Promise.resolve();
		},
	};
	let response: ITriggerResponse | undefined;
	const publish = () => {
		response = keepRunning(triggerContext as unknown as ITriggerFunctions, memory);
		return response;
	};
	const unpublish = async () => await response?.closeFunction?.();
	const state = { isAsked: 0, failure: undefined as Error | undefined, isUnfit: false };
	/** Ends when the poll does. */
	const begin = async (names: string[] = [], isActivation = false) =>
		await pollWithRuns(
			{ context: pollContext as unknown as IPollFunctions, memory, isActivation },
			{
				words: WORDS,
				runAgain,
				begin: (known, _handed, terms) => new Letters(known, terms),
				askingFor: ({ queue }) => ({
					limits: { deadline: Date.now() + (durableMs ?? -1) },
					ask: async () => {
						state.isAsked++;
						await Promise.resolve();
						for (const name of names) queue.add(name, { name, time: Date.now() });
						if (state.failure) throw state.failure;
					},
				}),
				json: ({ name }) => {
					if (state.isUnfit) throw new RangeError('Maximum call stack size exceeded');
					return { name };
				},
				keyOf: ({ name }, attempt) => `${node.id} ${name}#${attempt}`,
			},
		);
	const poll = async (names: string[] = [], isActivation = false) => {
		const end = await begin(names, isActivation);
		await settled();
		return end;
	};
	const tracker = () => memory.runs?.tracker;
	const keys = () => emissions.map(({ key }) => key);
	const runs = () => emissions.filter(({ items }) => items.length > 0);
	/** A poll that finds nothing new, and may wait for n8n to store it. */
	const tick = async () => {
		void poll();
		await settled();
	};
	const empty = () => emissions.filter(({ items }) => items.length === 0).map(({ key }) => key);
	return {
		...{ memory, stored, emissions, log, errors, steps, publish, unpublish, state },
		...{ begin, poll, tick, tracker, keys, runs, empty },
	};
}

const SUCCESS = { status: 'success', data: {} } as unknown as IRun;
const FAILURE = { status: 'error', data: {} } as unknown as IRun;
const ISSUES = "The 'Target' node has issues:\n- Credentials are missing";
const NOT_STARTED = {
	status: 'error',
	data: { resultData: { error: { message: ISSUES } } },
} as unknown as IRun;

describe('a poll in a process that has not started the trigger', () => {
	it('asks for nothing, and says so once an hour', async () => {
		const { poll, log, state, memory } = bench();

		expect([await poll(['a']), await poll(['a'])]).toEqual([null, null]);

		expect(state.isAsked).toBe(0);
		expect(log).toEqual([`info: ${noEmitterNotice(WORDS)}`]);
		expect(memory.isToTell('no emitter')).toBe(false);
		await agenda.pass(HOUR);
		await poll(['a']);
		expect(log).toHaveLength(2);
	});
});

describe('a poll', () => {
	it('hands each task to a run of its own, under its key', async () => {
		const { publish, poll, emissions, log, errors } = bench();
		publish();

		expect(await poll(['a', 'b'])).toBeNull();

		expect(emissions).toMatchObject([
			{ items: [{ json: { name: 'a' } }], key: 'a#1' },
			{ items: [{ json: { name: 'b' } }], key: 'b#1' },
		]);
		expect(emissions[0]?.items[0]?.json).not.toHaveProperty('attempt');
		expect([log, errors]).toEqual([[], []]);
	});

	it('stores what it found before it hands it over', async () => {
		const { publish, poll, steps, emissions } = bench({ runAgain: 1 });
		publish();

		await poll(['a']);

		expect(steps.slice(-2)).toEqual(['commit', 'emit a#1']);
		expect(emissions[0]?.stored).toEqual({ names: [], runs: { a: 1 } });
	});

	it('numbers the runs from the second one', async () => {
		const { publish, poll, tick, emissions, runs } = bench({ runAgain: 1 });
		publish();
		await poll(['a']);
		await emissions[0]?.end(FAILURE);

		await agenda.pass(MINUTE);
		await tick();

		expect(runs()[1]).toMatchObject({
			items: [{ json: { name: 'a', attempt: 2 } }],
			key: 'a#2',
		});
	});

	it('that fails hands over what it has found', async () => {
		const { publish, poll, state, keys } = bench();
		publish();
		state.failure = new Error('The service is down');

		await expect(poll(['a'])).rejects.toBe(state.failure);

		expect(keys()).toEqual(['a#1']);
	});

	it('with which a workflow is published hands over nothing if it fails', async () => {
		const { publish, poll, state, keys, tracker } = bench();
		publish();
		state.failure = new Error('The service is down');

		await expect(poll(['a'], true)).rejects.toBe(state.failure);

		expect(keys()).toEqual([]);
		expect(tracker()?.restarts).toBe(1);
	});

	it('with which a workflow is published hands over what it finds', async () => {
		const { publish, poll, keys } = bench();
		publish();

		await poll(['a'], true);

		expect(keys()).toEqual(['a#1']);
	});

	it('keeps a task that cannot be handed over, and tries again', async () => {
		const { publish, poll, state, keys, tracker } = bench();
		publish();
		state.isUnfit = true;

		await poll(['a']);
		expect([keys(), tracker()?.queue.waitingCount]).toEqual([[], 1]);
		state.isUnfit = false;
		await agenda.pass(MINUTE);
		await poll();

		expect(keys()).toEqual(['a#1']);
	});

	it('starts no more once the workflow is unpublished', async () => {
		const { publish, unpublish, poll, emissions, keys } = bench();
		publish();
		await poll(['a', 'b', 'c', 'd', 'e', 'f']);
		await unpublish();

		await emissions[0]?.end(SUCCESS);

		expect(keys()).not.toContain('f#1');
	});
});

describe('a run of an attempt that a process before this one may have started', () => {
	const inherited = () => bench({ runAgain: 1, stored: { started: { a: 1 } } });

	it('is repeated if n8n knows it', async () => {
		const { publish, poll, tick, emissions, runs, tracker } = inherited();
		publish();
		await poll(['a']);
		await emissions[0]?.end(undefined);
		expect(tracker()?.progress.names).toEqual([]);

		await agenda.pass(MINUTE);
		await tick();

		expect(runs().at(-1)).toMatchObject({
			items: [{ json: { name: 'a', attempt: 2 } }],
			key: 'a#2',
		});
	});

	it('is over if this process has started it', async () => {
		const { publish, poll, emissions, tracker } = bench({ runAgain: 1 });
		publish();
		await poll(['a']);

		await emissions[0]?.end(undefined);

		expect(emissions).toHaveLength(1);
		expect(tracker()?.progress.names).toEqual(['a']);
	});
});

describe('a host with durable cursors', () => {
	it('has a poll wait for the end of its runs, and stores each end', async () => {
		const { publish, begin, emissions, steps, stored } = bench({ durableMs: 36_000 });
		publish();
		let isOver = false;
		void begin(['a']).then(() => (isOver = true));
		await settled();
		expect([emissions.length, isOver]).toEqual([1, false]);

		await emissions[0]?.end(SUCCESS);

		expect(isOver).toBe(true);
		expect(stored).toMatchObject({ names: ['a'] });
		expect(steps.at(-1)).toBe('commit');
	});

	it('has no more started after the time of the poll', async () => {
		const { publish, begin, emissions, keys } = bench({ durableMs: 3 * SECOND });
		publish();
		void begin(['a', 'b', 'c', 'd', 'e', 'f']);
		await settled();
		await agenda.pass(3 * SECOND);

		await emissions[0]?.end(SUCCESS);

		expect(keys()).not.toContain('f#1');
	});

	it('has nothing to store between polls', async () => {
		const { publish, unpublish, begin, emissions, empty } = bench({
			durableMs: 36_000,
			runAgain: 1,
		});
		publish();
		void begin(['a']);
		await settled();
		await emissions[0]?.end(SUCCESS);
		await agenda.pass(MINUTE);

		void begin();
		await settled();
		await unpublish();

		expect(empty()).toEqual([]);
	});
});

describe('what is stored', () => {
	it.each([
		['the runs, if there are more', { runAgain: 1 }, { a: 1 }],
		['no run, if there is one at most', { runAgain: 0 }, {}],
	])('is %s', async (_, settings, runs) => {
		const { publish, begin, emissions } = bench(settings);
		publish();

		void begin(['a']);
		await settled();

		expect(emissions[0]?.stored).toEqual({ names: [], runs });
	});
});

describe('what is stored of a quiet node', () => {
	/** A node with a run that has succeeded, which is not stored yet. */
	const afterRun = async (settings: BenchSettings = {}) => {
		const all = bench({ runAgain: 1, ...settings });
		all.publish();
		await all.poll(['a']);
		await all.emissions[0]?.end(SUCCESS);
		await agenda.pass(MINUTE);
		return all;
	};

	it('comes with a quiet poll, and every quarter of an hour at most', async () => {
		const { poll, empty, emissions, stored } = await afterRun();

		void poll();
		await settled();
		expect(empty()).toEqual(['a#1']);
		expect(stored).toEqual({ names: ['a'], runs: {} });
		await emissions[1]?.end(undefined);
		await agenda.pass(MINUTE);
		void poll(['b']);
		await settled();
		await emissions[2]?.end(SUCCESS);
		await agenda.pass(5 * SECOND);
		void poll();
		await settled();

		expect(empty()).toEqual(['a#1']);
	});

	it.each<[string, BenchSettings, boolean, string[]]>([
		['a publication does that', {}, true, []],
		['a task is run once at most', { runAgain: 0 }, false, []],
		['another task waits', {}, false, ['b', 'c', 'd', 'e', 'f', 'g']],
	])('does not come if %s', async (_, settings, isActivation, names) => {
		const { poll, empty } = await afterRun(settings);

		void poll(names, isActivation);
		await settled();

		expect(empty()).toEqual([]);
	});

	it('does not come if nothing has ended since', async () => {
		const { publish, poll, empty } = bench({ runAgain: 1 });
		publish();

		await poll();

		expect(empty()).toEqual([]);
	});

	it('comes when the workflow is unpublished', async () => {
		const { unpublish, empty, emissions } = await afterRun();

		const over = unpublish();
		await settled();
		expect(empty()).toEqual(['a#1']);
		await emissions[1]?.end(undefined);

		await over;
	});

	it('does not come from a poll while whose request the workflow was published anew', async () => {
		const { publish, poll, empty } = await afterRun();

		void poll();
		publish();
		await settled();

		expect(empty()).toEqual([]);
	});

	it('is left to the newer emitter of a workflow that is published anew', async () => {
		const all = bench({ runAgain: 1 });
		const older = all.publish();
		await all.poll(['a']);
		all.publish();
		await all.emissions[0]?.end(SUCCESS);

		await older.closeFunction?.();

		expect(all.empty()).toEqual([]);
	});

	it('comes with the end of a run, once the workflow is unpublished', async () => {
		const { publish, unpublish, poll, emissions, empty, stored } = bench({ runAgain: 1 });
		publish();
		await poll(['a']);
		await unpublish();
		expect(empty()).toEqual([]);

		await emissions[0]?.end(SUCCESS);

		expect(empty()).toEqual(['a#1']);
		expect(stored).toEqual({ names: ['a'], runs: {} });
	});

	it('is left out by the end of a run if tasks no longer have runs of their own', async () => {
		const { memory, publish, unpublish, poll, emissions, empty } = bench({ runAgain: 1 });
		publish();
		await poll(['a']);
		memory.leaveRuns();
		await unpublish();

		await emissions[0]?.end(SUCCESS);

		expect(empty()).toEqual([]);
	});
});

describe('what a person is told', () => {
	it('is of a task whose runs have all failed', async () => {
		const { publish, poll, tick, runs, errors } = bench({ runAgain: 1 });
		publish();
		await poll(['a']);
		await runs()[0]?.end(FAILURE);
		await agenda.pass(MINUTE);
		await tick();
		expect(errors).toEqual([]);

		await runs()[1]?.end(FAILURE);
		await agenda.pass(MINUTE);
		await tick();

		const { message } = givenUpNotice(WORDS, { name: 'a', time: 0 }, { runs: 2 }, 'UTC');
		expect(errors).toMatchObject([{ message, context: { code: 'runFailed' } }]);
	});

	it('is of a task whose run n8n cannot store', async () => {
		const { publish, poll, emissions, errors } = bench();
		publish();
		await poll(['a']);
		for (let tries = 0; tries < 5; tries++) {
			expect(errors).toEqual([]);
			await emissions[tries]?.fail(new Error('The database is locked'));
			await agenda.pass(16 * MINUTE);
			await poll();
		}

		const { message } = notStartedNotice(WORDS, { name: 'a', time: 0 });
		expect(errors).toMatchObject([{ message, context: { code: 'runNotStarted' } }]);
	});

	it('is in n8n’s log of a task whose run n8n did not begin, which n8n lists itself', async () => {
		const { publish, poll, emissions, errors, log } = bench();
		publish();
		await poll(['a']);

		await emissions[0]?.end(NOT_STARTED);

		expect(log).toEqual([`warn: ${asLogLine(notStartedNotice(WORDS, { name: 'a', time: 0 }))}`]);
		expect(errors).toEqual([]);
	});
});

it('a workflow that is published again tries at once what n8n did not begin', async () => {
	const { publish, poll, emissions, keys } = bench();
	publish();
	await poll(['a']);
	await emissions[0]?.end(NOT_STARTED);
	await emissions[1]?.end(undefined);
	publish();
	await agenda.pass(10 * SECOND);

	await poll();

	expect(keys().at(-1)).toBe('a#2');
});
