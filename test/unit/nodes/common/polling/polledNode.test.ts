import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { PolledNode } from '../../../../../nodes/common/polling/polledNode';
import type { AnyProgress } from '../../../../../nodes/common/polling/taskTracker';
import { TaskTracker } from '../../../../../nodes/common/polling/taskTracker';
import type { Task } from '../../../../../nodes/common/runs/queue';

/** How far a count came. */
interface Counted extends AnyProgress {
	upTo: number;
}

class CountTracker extends TaskTracker<Counted, Task> {
	constructor(
		private readonly known: Counted,
		...[terms]: [ConstructorParameters<typeof TaskTracker>[1]]
	) {
		super(known, terms);
	}

	get upTo(): number {
		return Math.max(1, this.known.upTo);
	}

	get progress(): Counted {
		return { polls: this.polls, upTo: this.known.upTo };
	}

	/** Counts on, and delivers each number. */
	count(last: number): void {
		for (let number = this.upTo + 1; number <= last; number++) {
			this.queue.add(`${number}`, { time: number });
		}
		this.known.upTo = last;
	}

	restart(): void {}

	adopt(): void {}

	protected noteEnd(): void {}
}

let node: PolledNode<Counted, Task, CountTracker>;

beforeEach(() => {
	node = new PolledNode({
		read: ({ polls = 0, upTo = 0 }) => ({ polls: Number(polls), upTo: Number(upTo) }),
		write: (stored, { polls, upTo }) => void Object.assign(stored, { polls, upTo }),
	});
});

afterEach(() => {
	jest.useRealTimers();
});

interface Manner {
	/** The last number that there is. */
	last: number;
	isActivation?: boolean;
	isFailing?: boolean;
}

/** A poll that delivers all numbers that are new, of which the first is known from the beginning. */
async function poll(stored: IDataObject, { last, isActivation = false, isFailing }: Manner) {
	const context: Partial<IPollFunctions> = { getWorkflowStaticData: () => stored };
	const items = await node.poll(
		{ context: context as IPollFunctions, isActivation },
		{
			words: { one: 'number', title: ({ time }) => `the number ${time}` },
			...{ runAgain: 0, hasOwnRuns: false, limits: { maxTries: 1, maxWaitMs: 0 } },
			begin: (known, terms) => new CountTracker({ ...known }, terms),
			ask: async (tracker) => {
				await Promise.resolve(tracker.count(last));
				if (isFailing) throw new Error('No');
			},
			json: ({ time }) => ({ number: time }),
			keyOf: () => '',
		},
	);
	return items?.[0]?.map(({ json }) => json.number) ?? items;
}

it('hands over what is new, and writes how far it came', async () => {
	const stored: IDataObject = { polls: 4, upTo: 3 };

	expect(await poll(stored, { last: 5 })).toEqual([4, 5]);
	expect(stored).toEqual({ polls: 5, upTo: 5 });
	expect(await poll(stored, { last: 5 })).toBeNull();
});

it('leaves no trace of a poll that fails', async () => {
	const stored: IDataObject = { polls: 4, upTo: 3 };

	await expect(poll(stored, { last: 5, isFailing: true })).rejects.toThrow('No');
	expect(stored).toEqual({ polls: 4, upTo: 3 });
	expect(await poll(stored, { last: 5 })).toEqual([4, 5]);
});

it('asks nothing while n8n is about to store what it was handed, and then delivers once more what n8n dropped', async () => {
	jest.useFakeTimers();
	const behind = () => ({ polls: 4, upTo: 3 });
	await poll(behind(), { last: 5 });

	jest.advanceTimersByTime(9_999);
	expect(await poll(behind(), { last: 6 })).toBeNull();
	jest.advanceTimersByTime(1);
	expect(await poll(behind(), { last: 6 })).toEqual([4, 5, 6]);
});

it.each([false, true])(
	'goes on from what n8n did not store if the node is renamed (with items: %j)',
	async (hasItems) => {
		const last = hasItems ? 5 : 3;
		await poll({ polls: 4, upTo: 3 }, { last });

		expect(await poll({}, { last: 7, isActivation: true })).toEqual(
			hasItems ? [6, 7] : [4, 5, 6, 7],
		);
	},
);

it.each([
	['with items', false, 5],
	['of an activation', true, 3],
])(
	'goes on from its quiet polls when published again, after a poll %s',
	async (_name, isActivation, upTo) => {
		const stored: IDataObject = { polls: 4, upTo: 3 };
		await poll(stored, { last: upTo, isActivation });
		const before = { ...stored };
		await poll(stored, { last: 2 });

		expect(await poll(before, { last: 4, isActivation: true })).toEqual([3, 4]);
	},
);

it('goes on from what another process has stored, if its own last polls were quiet', async () => {
	const stored: IDataObject = { polls: 4, upTo: 3 };
	for (let polls = 0; polls < 4; polls++) await poll(stored, { last: 5 });

	expect(await poll({ polls: 6, upTo: 9 }, { last: 10, isActivation: true })).toEqual([10]);
});
