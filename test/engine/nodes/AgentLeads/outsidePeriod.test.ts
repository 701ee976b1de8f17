import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ExecuteContext } from 'n8n-core';

import { HOUR, idsOf, LeadsBench } from '../../../lab/engine/leads';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(LeadsBench);

describe('a lead that the service sends', () => {
	const hour = { period: 'recent', recentAmount: 1, recentUnit: 'hours' };
	const tomorrow = '2026-07-01T12:00:00Z';
	let warnings: string[];

	beforeEach(() => {
		bench.setTime('2026-06-30T12:00:00Z');
		warnings = [];
		const logger = { warn: (message: string) => warnings.push(message) };
		jest
			.spyOn(ExecuteContext.prototype, 'logger', 'get')
			.mockReturnValue(logger as unknown as ExecuteContext['logger']);
	});

	it('dated outside the period is left out, with a hint and a line in the log', async () => {
		bench.submit('inside', HOUR / 2);
		bench.submit('inside too', HOUR / 4);
		bench.sandbox.addLead('applicant', { id: 'outside', createdAt: tomorrow });

		const run = await bench.run(hour, { input: [{ json: {} }, { json: {} }] });

		expect(idsOf(run)).toEqual(['inside too', 'inside', 'inside too', 'inside']);

		const told =
			/^The service sent leads .* left out\. .* “From Time Parameter Name” .* options\.$/;

		expect(run.hints.map(({ message }) => message)).toEqual([expect.stringMatching(told)]);
		expect(warnings).toEqual([`Agent Leads: ${run.hints[0]?.message}`]);
	});

	it('without a readable time is kept, and so is every one of the last 24 hours', async () => {
		bench.sandbox.addLead('applicant', { id: 'unset', createdAt: '0001-01-01T00:00Z' });
		const unreadable = { id: 'unreadable', createdAt: 'soon' };
		bench.sandbox.addLead('applicant', unreadable, { isOdd: true });

		expect(idsOf(await bench.run(hour)).sort()).toEqual(['unreadable', 'unset']);

		bench.sandbox.addLead('applicant', { id: 'outside', createdAt: tomorrow });

		const run = await bench.run();

		expect(idsOf(run)).toContain('outside');
		expect(run.hints).toEqual([]);
		expect(warnings).toEqual([]);
	});
});
