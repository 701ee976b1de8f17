import { beforeEach, describe, expect, it } from '@jest/globals';
import range from 'lodash/range';

import { idsOf, LeadsBench } from '../../../lab/engine/leads';
import type { Asked } from '../../../lab/engine/relay';
import { json } from '../../../lab/engine/relay';
import { useBench, useRelay } from '../../../lab/engine/useBench';

const BRANCHES = ['b1', 'b2', 'b3'];

const bench = useBench(LeadsBench);
const relay = useRelay(bench);

beforeEach(() => {
	// A token is for the service itself, not for the relay.
	bench.stored.audience = bench.sandbox.leadsUrl;
});

const input = BRANCHES.map((branch) => ({ json: { branch } }));
const ofItsBranch = { filterBy: 'branch', filterId: '={{ $json.branch }}', returnAll: true };

function addBranches(): void {
	bench.sandbox.updateClient(bench.clientId, { branches: BRANCHES });
	const createdAt = new Date(Date.now() - 60_000);
	for (const branchId of BRANCHES) {
		for (const number of range(2)) {
			const id = `${branchId}-${number}`;
			bench.sandbox.addLead('applicant', { id, createdAt }, { branchId });
		}
	}
}

const isOf =
	(branch: string) =>
	({ query }: Asked): boolean =>
		query.get('branch-id') === branch;

/** Answers none of the first so many requests before all of them are there, and the last one of them first. */
function answerBackwards(which: (asked: Asked) => boolean, count: number): void {
	const waiting: Array<() => void> = [];
	let previous = Promise.resolve<unknown>(undefined);
	relay.answer(async (asked, pass) => {
		if (!which(asked)) return await pass();
		await new Promise<void>((resolve) => {
			waiting.unshift(resolve);
			if (waiting.length >= count) for (const goOn of waiting) goOn();
		});
		const before = previous;
		const answer = pass();
		previous = answer;
		await before;
		return await answer;
	});
}

describe('several input items', () => {
	it('are asked for together, and put out in their order', async () => {
		addBranches();
		answerBackwards(() => true, input.length);

		const run = await bench.run(ofItsBranch, { input });

		expect(idsOf(run)).toEqual(['b1-0', 'b1-1', 'b2-0', 'b2-1', 'b3-0', 'b3-1']);
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 0, 1, 1, 2, 2].map((item) => ({ item })),
		);
		expect(bench.tokens).toBe(1);
	});

	it('fail with one of them, even while another one hangs', async () => {
		addBranches();
		const asked = new Promise<void>((resolve) => {
			relay.answer(async (request, pass) => {
				if (isOf('b1')(request)) {
					resolve();
					return await new Promise<never>(() => {});
				}
				if (!isOf('b2')(request)) return await pass();
				await asked;
				return json(400, {});
			});
		});

		const { error } = await bench.run(ofItsBranch, { input });

		expect(error?.description).toContain('branch ID b2');
	});
});

describe('several filter IDs', () => {
	it('have the leads of the same second in their order, whichever is answered first', async () => {
		addBranches();
		answerBackwards(() => true, BRANCHES.length);

		const run = await bench.run({
			filterBy: 'branch',
			filterId: BRANCHES.join(),
			returnAll: true,
		});

		expect(idsOf(run)).toEqual(['b1-0', 'b1-1', 'b2-0', 'b2-1', 'b3-0', 'b3-1']);
	});
});
