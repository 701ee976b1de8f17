import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { AgencyPoll } from '../../../../../nodes/AgentInventoryTrigger/progress/agencyPoll';
import type { AgencyProgress } from '../../../../../nodes/AgentInventoryTrigger/progress/agencyProgress';
import type { PropertyChange } from '../../../../../nodes/AgentInventoryTrigger/progress/comparison';
import type { InventorySource } from '../../../../../nodes/AgentInventoryTrigger/progress/readAgency';
import { readAgency } from '../../../../../nodes/AgentInventoryTrigger/progress/readAgency';
import { isoSeconds } from '../../../../../service/basics/times';
import { ServiceError } from '../../../../../service/failure';
import { listedIdOf } from '../../../../../service/inventory/records';
import {
	agencyWith,
	listsAt,
	NOON,
	POLLED_AT,
	recordOf,
	rowOf,
	termsWith,
} from '../../../../lab/polling/inventory/agency';
import { useModelTime } from '../../../../lab/polling/modelTime';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

useModelTime();

beforeEach(() => {
	jest.setSystemTime(NOON);
});

const busy = new ServiceError('busy', 'The service is busy');

/** What a service says to one request after the other; nothing more than that. */
interface Script {
	first?: Array<{ rows: IDataObject[]; isWhole: boolean } | ServiceError>;
	all?: Array<IDataObject[] | ServiceError>;
	/** Whether anything may be asked for, each time that somebody wants to know. */
	mayAsk?: boolean[];
}

const LATELY = NOON - 10 * SECOND;
const created = { createdDate: isoSeconds(LATELY), modifiedDate: isoSeconds(LATELY) };

function sourceOf({ first = [], all = [], mayAsk = [] }: Script) {
	const asked: string[] = [];
	const source: InventorySource = {
		firstPage: async ({ list }) => {
			asked.push(`first page of ${list}`);
			return await Promise.resolve(first.shift() ?? { rows: [], isWhole: true });
		},
		allPages: async ({ list, window: { from = 0 } }) => {
			asked.push(`all pages of ${list} from ${isoSeconds(from)}`);
			return await Promise.resolve(all.shift() ?? []);
		},
		records: async (batches) => {
			asked.push(`records of ${batches.flat().join()}`);
			jest.setSystemTime(Date.now() + MINUTE);
			return await Promise.resolve(
				new Map(batches.flat().map((id) => [id, recordOf(id, created)] as const)),
			);
		},
		mayAsk: () => mayAsk.shift() ?? true,
	};
	return { source, asked };
}

async function read(script: Script, known: AgencyProgress = agencyWith()) {
	const { source, asked } = sourceOf(script);
	const poll = new AgencyPoll('agency-1', termsWith(), known);
	const delivered: PropertyChange[][] = [];
	await readAgency(poll, source, (changes) => delivered.push(changes));
	return { poll, asked, delivered };
}

const whole = (rows: IDataObject[]) => ({ rows, isWhole: true });

describe('an agency', () => {
	it('is asked for its lists, for the records of their rows, and for what has waited', async () => {
		const pending = new Map([['5020', { since: POLLED_AT, tries: 0 }]]);

		const { asked, delivered } = await read(
			{ first: [whole([rowOf('5018', NOON)]), whole([rowOf('5019', NOON)])] },
			agencyWith({ pending }),
		);

		expect(asked).toEqual([
			'first page of current',
			'records of 5018',
			'first page of archived',
			'records of 5019',
			'first page of created',
			'records of 5020,5018,5019',
		]);
		expect(delivered.map((changes) => changes.map(({ id }) => id))).toEqual([
			['5018'],
			['5019'],
			['5020'],
		]);
	});

	it('is not asked for records if there is nothing to read', async () => {
		const { asked, delivered } = await read({});

		expect(asked).toEqual([
			'first page of current',
			'first page of archived',
			'first page of created',
		]);
		expect(delivered).toEqual([]);
	});

	it('that fails is asked for nothing more', async () => {
		const pending = new Map([['5020', { since: POLLED_AT, tries: 0 }]]);

		const { poll, asked } = await read({ first: [busy] }, agencyWith({ pending }));

		expect(asked).toEqual(['first page of current']);
		expect(poll.failure).toBe(busy);
	});

	it('is asked for nothing once nothing may be asked', async () => {
		const pending = new Map([['5020', { since: POLLED_AT, tries: 0 }]]);

		const { asked } = await read({ mayAsk: [true, false, false] }, agencyWith({ pending }));

		expect(asked).toEqual(['first page of current']);
	});

	it('counts as read when its records were asked for, and not when they came', async () => {
		const { delivered } = await read({ first: [whole([rowOf('5018', LATELY)])] });

		expect(delivered[0]?.[0]?.after.isFresh).toBe(true);
	});
});

describe('a list of several pages that no shorter window makes shorter', () => {
	const POSITION = NOON - SECOND;
	const ALL = `all pages of current from ${isoSeconds(POSITION)}`;
	const tooMuch = { rows: [], isWhole: false };

	/** The rest of a list is one second of it. */
	const atLastSecond = () => {
		const changes = { begunAt: NOON - MINUTE, position: POSITION };
		const current = { watermark: POLLED_AT, changes };
		return agencyWith({ lists: { ...listsAt(POLLED_AT), current } });
	};

	it('is read until two readings have the same rows, and the rows of both count', async () => {
		const one = [rowOf('5018', NOON), rowOf('5019', NOON)];

		const { poll, asked } = await read(
			{ first: [tooMuch], all: [one, [...one, rowOf('5020', NOON)]] },
			atLastSecond(),
		);

		expect(asked.slice(0, 4)).toEqual([
			'first page of current',
			...[ALL, ALL],
			'records of 5018,5019,5020',
		]);
		expect(poll.progress.lists.current).toEqual({ watermark: NOON - MINUTE });
	});

	it.each<[string, IDataObject[]]>([
		['left its place', [rowOf('5018', NOON)]],
		['was modified meanwhile', [rowOf('5018', NOON), rowOf('5019', NOON + SECOND)]],
	])('is read once more if a row %s', async (_name, changed) => {
		const one = [rowOf('5018', NOON), rowOf('5019', NOON)];

		const { asked } = await read(
			{ first: [tooMuch], all: [one, changed, changed] },
			atLastSecond(),
		);

		expect(asked.filter((each) => each === ALL)).toHaveLength(3);
		expect(asked).toContain(`records of ${changed.map(listedIdOf).join()}`);
	});

	it('that changes all the time is left to the next poll after three readings', async () => {
		const readings = ['5018', '5019', '5020', '5021'].map((id) => [rowOf(id, NOON)]);

		const { poll, asked } = await read({ first: [tooMuch], all: readings }, atLastSecond());

		expect(asked).toEqual(['first page of current', ALL, ALL, ALL]);
		expect(poll.failure).toBeUndefined();
		expect(poll.progress.lists.current).toEqual(atLastSecond().lists.current);
	});

	it('whose reading fails fails the agency', async () => {
		const { poll, asked } = await read({ first: [tooMuch], all: [[], busy] }, atLastSecond());

		expect(asked).toEqual(['first page of current', ALL, ALL]);
		expect(poll.failure).toBe(busy);
	});

	it('whose first page fails is not read', async () => {
		const { poll, asked } = await read({ first: [busy] }, atLastSecond());

		expect(asked).toEqual(['first page of current']);
		expect(poll.failure).toBe(busy);
	});

	it('is one page if that is whole', async () => {
		const { asked } = await read({}, atLastSecond());

		expect(asked).toEqual([
			'first page of current',
			'first page of archived',
			'first page of created',
		]);
	});

	it('is asked for in windows while that helps', async () => {
		const { asked } = await read({ first: [tooMuch] });

		expect(asked).toEqual([
			...['first page of current', 'first page of current', 'first page of current'],
			'first page of archived',
			'first page of created',
		]);
	});
});
