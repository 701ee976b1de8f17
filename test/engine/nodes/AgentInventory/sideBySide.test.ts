import { describe, expect, it } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import type { Asked } from '../../../lab/engine/relay';
import { json } from '../../../lab/engine/relay';
import { AGENCY, OTHER_AGENCY } from '../../../lab/engine/inventory';
import { useAgencies } from './strangeAnswers';

const { bench, relay } = useAgencies();

const isOfAgency =
	(agency: string) =>
	({ headers }: Asked): boolean =>
		headers.agencyref === agency;

/** Answers none of these requests before so many of them are there. */
function answerTogether(which: (asked: Asked) => boolean, count: number): void {
	const waiting: Array<() => void> = [];
	relay.answer(async (asked, pass) => {
		if (!which(asked)) return await pass();
		const all = new Promise<void>((resolve) => waiting.push(resolve));
		if (waiting.length === count) for (const goOn of waiting) goOn();
		await all;
		return await pass();
	});
}

/** Never answers these requests. @returns when one of them is there */
async function leaveHanging(which: (asked: Asked) => boolean): Promise<void> {
	return await new Promise((resolve) => {
		relay.answer(async (asked, pass) => {
			if (!which(asked)) return await pass();
			resolve();
			return await new Promise<never>(() => {});
		});
	});
}

describe('several input items', () => {
	const AGENCIES = [AGENCY, OTHER_AGENCY, AGENCY];
	const input = AGENCIES.map((agency) => ({ json: { agency } }));
	const lists: INodeParameters[] = [
		{ operation: 'getAll', returnAll: true },
		{ resource: 'branch', operation: 'getAll', returnAll: true },
	];
	const options = { agencyRef: '={{ $json.agency }}' };

	it.each(lists)('of %j are asked for together, and put out in their order', async (list) => {
		const alone = await bench.run({ ...list, options: { agencyRef: AGENCY } });
		answerTogether(() => true, AGENCIES.length);

		const run = await bench.run({ ...list, options }, { input });

		const ofItem = (item: number) =>
			run.items.filter(({ pairedItem }) => (pairedItem as { item: number }).item === item);

		expect(alone.items.length).toBeGreaterThan(0);
		expect(ofItem(0).map(({ json: each }) => each)).toEqual(
			alone.items.map(({ json: each }) => each),
		);
		expect(ofItem(2)).toHaveLength(alone.items.length);
		expect(run.items).toEqual([...ofItem(0), ...ofItem(1), ...ofItem(2)]);
		expect(bench.tokens).toBe(1);
	});

	it('fail with one of them, even while another one hangs', async () => {
		const hanging = leaveHanging(isOfAgency(AGENCY));
		relay.answer(async (asked, pass) => {
			if (!isOfAgency(OTHER_AGENCY)(asked)) return await pass();
			await hanging;
			return json(403, {});
		});

		const { error } = await bench.run({ operation: 'getAll', options }, { input });

		expect(error?.message).toContain('refused the AgencyRef');
	});
});
