import { describe, expect, it } from '@jest/globals';

import type { NodeInput } from '../../lab/n8n';
import { fromModel } from '../../lab/n8n/aiAgent';
import { APPLICANTS_PATH, HOUR } from '../../lab/n8n/stage';
import { useStage } from '../../lab/n8n/stage/useStage';
import { itemsIn, useTools, type Arguments } from './tools';

const stage = useStage();
const tools = useTools(stage);

type Call = readonly [what: string, call: Arguments, words: RegExp];

/** What the model is answered, by what it did wrong. */
function expectWords(answers: string[], calls: readonly Call[]): void {
	const got = calls.map(([what], index) => [what, itemsIn(answers[index])] as const);

	expect(got).toEqual(
		calls.map(([what, , words]) => [what, [{ error: expect.stringMatching(words) }]]),
	);
	expect(stage.leaks(answers.join('\n'))).toEqual([]);
}

describe('a wrong parameter is answered in words that say what is right', () => {
	it('of Agent Leads, and never with leads', async () => {
		const { client, branchId } = tools.addAgency();
		stage.sandbox.addLead('applicant', {}, { branchId, receivedAt: Date.now() - HOUR });
		const tool = await tools.leads(client, {
			period: 'recent',
			recentAmount: fromModel('hours', 'number'),
			recentUnit: 'hours',
			limit: fromModel('limit', 'number'),
			fieldsToReturn: fromModel('fields'),
			filterBy: 'branch',
			filterId: fromModel('branch'),
		});
		const good = { hours: 3, limit: 5, fields: 'id', branch: branchId };
		const call = (wrong: Arguments) => ({ ...good, ...wrong });
		const calls: Call[] = [
			[
				'no branch of the agency',
				{ branch: 'Exampleton' },
				/\(400\)\. The service says: .* Check the branch ID Exampleton/,
			],
			[
				'no branch',
				{ branch: null },
				/“Filter IDs” contains an empty ID\. It is empty\. Enter one/,
			],
			[
				'a negative limit',
				{ limit: -1 },
				/“Limit” must be a whole number of at least 1\. It is -1\./,
			],
			['a limit in words', { limit: 'all' }, /“Limit” must be .* It is "all"\./],
			[
				'an unknown field',
				{ fields: 'id,salary' },
				/unknown value\. It is "salary"\. Use \*, name, email/,
			],
			['all but the hours', { hours: undefined }, /“Amount” must be a whole number/],
		];

		const { answers, output } = await tools.call(tool, [
			...calls.map(([, wrong]) => call(wrong)),
			call({}),
		]);

		expectWords(answers, calls);
		expect(itemsIn(answers.at(-1))).toEqual([{ id: expect.any(String) }]);
		expect(output).toBe('Done');
	});

	it('of Agent Inventory', async () => {
		const tool = await tools.inventory({
			operation: 'getAll',
			limit: fromModel('limit', 'number'),
			filters: {
				recordType: fromModel('type'),
				status: fromModel('status'),
				createdFrom: fromModel('since'),
				ownerId: fromModel('owner', 'number'),
				archived: fromModel('archived', 'boolean'),
			},
		});
		const good = { limit: 3, type: '', status: 'Available', since: null, owner: '', archived: '' };
		const calls: Call[] = [
			[
				'an unknown status',
				{ status: 'For Sale' },
				/“Status” has .* It is "For Sale"\. Use Appraisal/,
			],
			['a day that is none', { since: '2026-13-01' }, /“Created From” is not a date and time/],
			[
				'perhaps archived',
				{ archived: 'maybe' },
				/“Archived” is neither true nor false\. It is "maybe"/,
			],
			['no limit', { limit: 0 }, /“Limit” must be a whole number of at least 1\. It is 0/],
		];

		const { answers, output } = await tools.call(tool, [
			...calls.map(([, wrong]) => ({ ...good, ...wrong })),
			good,
		]);

		expectWords(answers, calls);
		expect(itemsIn(answers.at(-1)).at(-1)).toEqual({
			found: 3,
			note: [
				'“Record Type” was empty: no filter.',
				'“Archived” was empty: no filter.',
				'“Created From” was empty: no filter.',
				'“Owner ID” was empty: no filter.',
			].join(' '),
		});
		expect(output).toBe('Done');
	});
});

describe('a service that does not answer', () => {
	it.each([
		['busy', 429, APPLICANTS_PATH, /The service is busy: too many requests \(429\)\. .*minutes/],
		[
			'out of order',
			500,
			APPLICANTS_PATH,
			/cannot answer just now \(500\)\. .*Run the workflow again/,
		],
	] as const)('is told in words, without a secret: %s', async (_, status, path, words) => {
		const { client } = tools.addAgency();
		stage.sandbox.faults.add({ path, clientId: client.clientId, kind: 'status', status });

		const { answers, output } = await tools.call(
			await tools.leads(client, { options: { maxTries: 1 } }),
		);

		expectWords(answers, [['', {}, words]]);
		expect(output).toBe('Done');
	});
});

describe('an AI Agent of version 2, which runs its tools by itself', () => {
	it('gives its model the words if the tool continues on errors; n8n gives it nothing otherwise', async () => {
		const tool = await tools.inventory({ operation: 'search', query: fromModel('query') });
		const continuing: NodeInput = { ...tool, onError: 'continueRegularOutput' };

		const { answers, output } = await tools.call(
			continuing,
			[{ query: '' }, { query: 'No such place' }],
			2.2,
		);

		expect(answers.map(itemsIn)).toEqual([
			[
				{
					error: '“Query” is empty',
					message: expect.stringMatching(
						/^Enter words of an address, a postcode or a name\. See https:.*#field$/,
					),
					code: 'field',
				},
			],
			[{ found: 0 }],
		]);
		expect(output).toBe('Done');
	});
});
