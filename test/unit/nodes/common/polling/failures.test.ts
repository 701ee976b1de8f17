import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INode, IPollFunctions } from 'n8n-workflow';

import type { PolledTarget } from '../../../../../nodes/common/polling/failures';
import { reportFailures } from '../../../../../nodes/common/polling/failures';
import { PollMemory } from '../../../../../nodes/common/polling/memory';
import { ServiceError } from '../../../../../service/failure';
import { MINUTE } from '../../../../lab/times';
import { useModelTime } from '../../../../lab/polling/modelTime';

useModelTime();

const NODE: INode = {
	...{ id: 'node-1', name: 'Trigger', type: 'trigger', typeVersion: 1 },
	...{ position: [0, 0], parameters: {} },
};
const refused = (text = 'Refused') => new ServiceError('rejected', text);
const busy = (text = 'Busy', retryAfterMs?: number) =>
	new ServiceError('busy', text, { retryAfterMs });

let memory: PollMemory;
let warned: string[];
let reported: string[];

beforeEach(() => {
	[memory, warned, reported] = [new PollMemory(), [], []];
});

function target(key: string, more: Partial<PolledTarget> = {}): PolledTarget {
	const isAnswered = !more.failure && !more.isWaiting;
	return { key, title: `Leads of ${key}`, isAnswered, isWaiting: false, isNew: false, ...more };
}

/** @returns what the poll fails of, if it does */
async function outcome(targets: PolledTarget[], isActivation = false): Promise<string | undefined> {
	const context = {
		getNode: () => NODE,
		getActivationMode: () => 'init',
		logger: { warn: (text: string) => warned.push(text) },
		__emitError: ({ message }: Error) => reported.push(message),
	} as unknown as IPollFunctions;
	const ended = reportFailures({ context, memory, isActivation }, targets);
	return await ended.then(
		() => undefined,
		({ message }: Error) => message,
	);
}

describe('a poll', () => {
	it('does not fail as long as a target is answered: that is told', async () => {
		expect(await outcome([target('a'), target('b', { failure: refused() })])).toBeUndefined();

		expect(warned).toEqual(['Leads of b: Refused. (code: badRequest)']);
		expect(reported).toEqual(['Leads of b: Refused']);
	});

	it('fails if none is answered, and is not told of beside that', async () => {
		const failing = ['a', 'b'].map((key) => target(key, { failure: refused(`Refused ${key}`) }));

		expect(await outcome(failing)).toBe('Leads of a: Refused a');
		expect([warned, reported]).toEqual([[], []]);
	});

	it('fails of what may pass, with the longest wait', async () => {
		const targets = [
			target('a', { failure: refused() }),
			target('b', { failure: busy('Soon', MINUTE) }),
			target('c', { failure: busy('Later', 5 * MINUTE) }),
		];

		expect(await outcome(targets)).toBe('Leads of c: Later');
	});

	it('fails of what may pass, even if nobody says for how long', async () => {
		const targets = [target('a', { failure: refused() }), target('b', { failure: busy() })];

		expect(await outcome(targets)).toBe('Leads of b: Busy');
	});

	it('tells of the targets that wait beside those that it fails of', async () => {
		memory.failures.noteOutcome(target('a', { failure: busy('Busy', 10 * MINUTE) }));
		const waiting = target('a', { isWaiting: true });

		expect(await outcome([waiting, target('b', { failure: refused() })])).toBe(
			'Leads of b: Refused',
		);
		expect(warned).toEqual(['Leads of a: Busy. (code: busy)']);
	});

	it('names no target for what is everybody’s', async () => {
		const token = new ServiceError('busy', 'No token', { requestKind: 'token' });
		const targets = [target('a', { failure: token }), target('b', { isWaiting: true })];
		const alike = ['a', 'b'].map((key) => target(key, { failure: refused() }));

		expect(await outcome(targets)).toBe('No token');
		expect(await outcome(alike)).toBe('Refused');
	});

	it('does not fail of targets that are not asked, and tells of them, even if others are answered', async () => {
		memory.failures.noteOutcome(target('a', { failure: busy('Busy', 10 * MINUTE) }));
		const waiting = target('a', { isWaiting: true });

		expect(await outcome([waiting])).toBeUndefined();
		expect(await outcome([waiting, target('b')])).toBeUndefined();
		expect(await outcome([target('a', { isAnswered: false })])).toBeUndefined();
		const all = Array<string>(3).fill('Leads of a: Busy. (code: busy)');
		expect([warned, reported]).toEqual([all, []]);
	});
});

it('a target is left alone for as long as the service asks, an hour at most', () => {
	const { failures } = memory;
	const waitsAfter = (minutes: number) => {
		jest.setSystemTime(Date.now() + minutes * MINUTE);
		return failures.isToWait('a');
	};
	failures.noteOutcome(target('a', { failure: busy('Busy', 30 * MINUTE) }));
	expect([waitsAfter(29), waitsAfter(1)]).toEqual([true, false]);

	failures.noteOutcome(target('a', { failure: busy('Busy', 60_000 * MINUTE) }));
	expect([waitsAfter(59), waitsAfter(1)]).toEqual([true, false]);
});

describe('an activation', () => {
	it('fails of what will not pass, unless the target was known and another is answered', async () => {
		const known = target('b', { failure: refused() });

		expect(await outcome([target('a'), known], true)).toBeUndefined();
		expect(await outcome([target('a'), { ...known, isNew: true }], true)).toMatch(/Refused/);
		expect(await outcome([known], true)).toMatch(/Refused/);
	});
});

describe('a failure that goes on', () => {
	const poll = async (failure: ServiceError) =>
		await outcome([target('a'), target('b', { failure }), target('c', { failure })]);

	it('is reported once an hour, all targets together, and in the log each time', async () => {
		for (let polls = 0; polls < 61; polls++) {
			await poll(refused());
			jest.setSystemTime(Date.now() + MINUTE);
		}

		expect(reported).toEqual(Array(2).fill('Leads of b and 1 more: Refused'));
		expect(warned).toHaveLength(61);
	});

	it('is reported after 15 minutes if it may pass', async () => {
		const reports: number[] = [];
		for (let polls = 0; polls < 20; polls++) {
			await poll(busy());
			reports.push(reported.length);
			jest.setSystemTime(Date.now() + MINUTE);
		}

		expect(reports.indexOf(1)).toBe(15);
	});

	it('is forgotten once the target is answered', async () => {
		await poll(refused());
		await outcome([target('b'), target('c')]);
		await poll(refused());

		expect(reported).toHaveLength(2);
	});
});
