import { beforeEach, describe, expect, it } from '@jest/globals';
import range from 'lodash/range';

import type { NodeRun } from '../../../lab/engine/engine';
import { idsOf, LeadsBench, shortenBackoff } from '../../../lab/engine/leads';
import type { Answer } from '../../../lab/engine/relay';
import { json } from '../../../lab/engine/relay';
import { useBench, useRelay } from '../../../lab/engine/useBench';

const COUNT = 600;

/** Each of its characters takes up several bytes, so that they are cut apart on the way. */
const MESSAGE = '🏠 Größe? '.repeat(60);

const bench = useBench(LeadsBench);
const relay = useRelay(bench);

const IDS = range(COUNT)
	.map((number) => `lead-${number}`)
	.sort();

const sortedIdsOf = (run: NodeRun) => idsOf(run).sort();

beforeEach(() => {
	shortenBackoff();
	// A token is for the service itself, not for the relay.
	bench.stored.audience = bench.sandbox.leadsUrl;
	const createdAt = new Date(Date.now() - 60_000);
	for (const id of IDS) bench.sandbox.addLead('applicant', { id, createdAt, message: MESSAGE });
});

const ALL = { returnAll: true, simplify: true };

describe('an answer of several hundred leads', () => {
	it('is read character by character as the service sent it', async () => {
		const run = await bench.run(ALL);

		expect(sortedIdsOf(run)).toEqual(IDS);
		expect(new Set(run.items.map(({ json: { message } }) => message))).toEqual(
			new Set([MESSAGE.trim()]),
		);
	});

	it.each(['truncate', 'cutJson', 'reset'] as const)(
		'that breaks off is asked for again, and what came of it counts once: %s',
		async (kind) => {
			bench.sandbox.faults.add({ path: /-leads/, kind });

			const run = await bench.run(ALL);

			expect(sortedIdsOf(run)).toEqual(IDS);
			expect(bench.dataRequests).toHaveLength(2);
		},
	);

	it.each([
		['an error', (answer: Answer) => ({ ...answer, status: 500 })],
		['cut short', ({ body, ...answer }: Answer) => ({ ...answer, body: body.slice(0, -9) })],
	])('leaves no lead behind in the answer to the next try if it was %s', async (_, change) => {
		let answers = 0;
		changeAnswers((answer) => {
			if (answers++ > 0) return answer;
			return change({ ...answer, body: answer.body.replaceAll('"lead-', '"never-') });
		});

		const run = await bench.run(ALL);

		expect(sortedIdsOf(run)).toEqual(IDS);
		expect(bench.dataRequests).toHaveLength(2);
	});

	it('counts for nothing if it says in the end that it is an error', async () => {
		const errors = [{ code: 'internal', detail: 'Half of it is missing' }];
		changeAnswers(({ body }) => json(200, { ...listed(body), errors }));

		const run = await bench.run({ ...ALL, options: { maxTries: 1 } });

		expect(run.items).toEqual([]);
		expect(run.error?.description).toContain('Half of it is missing');
	});
});

function listed(body: string): { applicants: unknown[] } {
	return JSON.parse(body) as { applicants: unknown[] };
}

function changeAnswers(change: (answer: Answer) => Answer): void {
	relay.answer(async (_, pass) => {
		const answer = await pass();
		return answer === 'lost' ? answer : change(answer);
	});
}
