import { beforeEach, expect, it, jest } from '@jest/globals';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import type { AnyProgress, RunTracker } from '../../../../../nodes/common/polling/memory';
import { NodeMemory } from '../../../../../nodes/common/polling/memory';
import { pollForItems } from '../../../../../nodes/common/polling/pollForItems';
import type { Task } from '../../../../../nodes/common/runs/queue';
import { useModelTime } from '../../../../lab/polling/modelTime';

const NOON = Date.UTC(2026, 5, 30, 12);

useModelTime();

/** How far a count came. */
interface Counted extends AnyProgress {
	upTo: number;
}

const FORMAT = {
	read: ({ polls = 0, upTo = 0 }: IDataObject): Counted => ({
		polls: Number(polls),
		upTo: Number(upTo),
	}),
	write: (stored: IDataObject, { polls, upTo }: Counted) => {
		Object.assign(stored, { polls, upTo });
	},
};

let memory: NodeMemory<Counted, Task, RunTracker<Counted, Task>>;

beforeEach(() => {
	jest.setSystemTime(NOON);
	memory = new NodeMemory(FORMAT);
});

interface Manner {
	/** The last number that there is. */
	last: number;
	isActivation?: boolean;
	isFailing?: boolean;
}

/** A poll that delivers all numbers that are new, of which the first is known from the beginning. */
async function poll(stored: IDataObject, { last, isActivation = false, isFailing }: Manner) {
	const context = { getWorkflowStaticData: () => stored } as unknown as IPollFunctions;
	const items = await pollForItems({ context, memory, isActivation }, (known) => {
		const from = Math.max(1, known.upTo);
		return {
			ask: async () => await (isFailing ? Promise.reject(new Error('No')) : Promise.resolve()),
			reached: (polls: number) => ({ polls, upTo: last }),
			items: () =>
				Array.from({ length: last - from }, (_each, index) => ({
					json: { number: from + index + 1 },
				})),
		};
	});
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

it('waits for n8n to store what it was handed last', async () => {
	const behind = () => ({ polls: 4, upTo: 3 });
	await poll(behind(), { last: 5 });
	const stored = behind();

	expect(await poll(stored, { last: 6 })).toBeNull();
	expect(stored).toEqual(behind());
	jest.setSystemTime(NOON + 10_000);

	expect(await poll(behind(), { last: 6 })).toEqual([4, 5, 6]);
});

it('delivers nothing again if the workflow is published before n8n has stored that', async () => {
	const behind = () => ({ polls: 4, upTo: 3 });
	await poll(behind(), { last: 5 });

	expect(await poll(behind(), { last: 6, isActivation: true })).toEqual([6]);
});

it('delivers once more what n8n dropped', async () => {
	const behind = () => ({ polls: 4, upTo: 3 });
	await poll(behind(), { last: 5 });
	jest.setSystemTime(NOON + 10_000);

	expect(await poll(behind(), { last: 5, isActivation: true })).toEqual([4, 5]);
});

it.each([false, true])(
	'goes on from what n8n did not store if the node is renamed (with items: %j)',
	async (hasItems) => {
		const last = hasItems ? 5 : 3;
		await poll({ polls: 4, upTo: 3 }, { last });
		jest.setSystemTime(NOON + 10_000);

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
		await poll({ polls: 4, upTo: 3 }, { last: upTo, isActivation });
		memory.noteQuiet({ polls: 5, upTo }, { polls: 6, upTo: 8 });

		expect(memory.goOnFrom({ polls: 5, upTo }, true)).toEqual({ polls: 6, upTo: 8 });
	},
);

it('goes on from what another process has stored, if its own last polls were quiet', async () => {
	await poll({ polls: 4, upTo: 3 }, { last: 5 });
	jest.setSystemTime(NOON + 10_000);
	const stored = { polls: 5, upTo: 5 };
	for (let quiet = 0; quiet < 3; quiet++) await poll(stored, { last: 5 });

	expect(memory.goOnFrom({ polls: 6, upTo: 9 }, true)).toEqual({ polls: 6, upTo: 9 });
});
