import { beforeEach, describe, expect, it } from '@jest/globals';

import { idsOf, LeadsBench } from '../../../lab/engine/leads';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(LeadsBench);

beforeEach(() => {
	bench.sandbox.addLead('applicant', { id: 'lead-1' });
});

const PATH = '/applicant-leads';

describe('a passing failure', () => {
	it.each([
		['429', { kind: 'status', status: 429 }],
		['500', { kind: 'status', status: 500 }],
		['502 with a web page', { kind: 'status', status: 502, body: 'html' }],
		['503 with an empty body', { kind: 'status', status: 503, body: 'empty' }],
		['504', { kind: 'status', status: 504 }],
		['a reset', { kind: 'reset' }],
		['a reset after the work', { kind: 'reset', when: 'after' }],
		['an answer cut off', { kind: 'truncate' }],
		['an answer whose JSON stops', { kind: 'cutJson' }],
	] as const)('is repeated: %s', async (_, fault) => {
		bench.sandbox.faults.add({ path: PATH, ...fault, times: 2 });

		expect(idsOf(await bench.run())).toEqual(['lead-1']);
		expect(bench.dataRequests).toHaveLength(3);
		expect(bench.tokens).toBe(1);
	});

	it.each([
		['in seconds', 1],
		['as a date', { dateInMs: 2_000 }],
	] as const)('waits as long as Retry-After %s asks', async (_, retryAfter) => {
		bench.sandbox.faults.add({ path: PATH, kind: 'status', status: 429, retryAfter });

		expect(idsOf(await bench.run())).toEqual(['lead-1']);

		const [first, second] = bench.dataRequests;

		expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
	});
});

describe('a failure that stays', () => {
	it('is given up after Max Tries, and says so', async () => {
		bench.sandbox.faults.add({ path: PATH, kind: 'status', status: 429, times: Infinity });

		const { error } = await bench.run({ options: { maxTries: 3 } });

		expect(bench.dataRequests).toHaveLength(3);
		expect(error?.message).toBe('The service is busy: too many requests (429)');
		expect(error?.description).toContain('Tried 3 times, waiting');
		expect(error?.description).toContain('Run the workflow again in a few minutes');
		expect(error?.failure).toEqual({ cause: 'rate-limited' });
	});

	it.each([
		[
			'400 of the service',
			{ kind: 'status', status: 400 },
			'The service refused the request (400): a filter may be missing',
			'400',
		],
		['a web page', { kind: 'html' }, 'The service answered with a web page instead of data', null],
	] as const)('is not repeated where repeating is useless: %s', async (_, fault, message, code) => {
		bench.sandbox.faults.add({ path: PATH, ...fault, times: Infinity });

		const { error } = await bench.run();

		expect(bench.dataRequests).toHaveLength(1);
		expect(error?.message).toBe(message);
		expect(error?.httpCode).toBe(code);
		expect(error?.failure).toEqual({ cause: 'configuration-invalid' });
		expect(error?.context.itemIndex).toBe(0);
	});

	it('names the field “Filter By” where no filter was sent', async () => {
		bench.sandbox.updateClient(bench.clientId, { branches: ['1', '2'] });

		const { error } = await bench.run();

		expect(error?.description).toContain('set “Filter By” and enter an ID');
	});

	it('names the ID that was refused, and does not say that one is missing', async () => {
		bench.sandbox.updateClient(bench.clientId, { branches: ['1', '2'] });

		const { error } = await bench.run({ filterBy: 'branch', filterId: '1, 3' });

		expect(error?.description).toContain('Check the branch ID 3:');
		expect(error?.description).not.toContain('Filter By');
	});

	it.each([
		[
			PATH,
			413,
			'Check the fields of this node. If you cannot tell which one is wrong, send this message to the operator of the service.',
		],
		[PATH, 404, 'Check the address in the credential.'],
		['/oauth2/token', 400, 'Then test the credential.'],
	])('explains no other refusal by the filter: %s %d', async (path, status, advice) => {
		bench.sandbox.faults.add({ path, kind: 'status', status });

		const { error } = await bench.run();

		expect(error?.description).toContain(advice);
		expect(error?.description).not.toContain('Filter By');
	});
});

describe('On Error', () => {
	const input = ['1', ',', '2'].map((ids) => ({ json: { ids } }));
	const parameters = { filterBy: 'branch', filterId: '={{ $json.ids }}' };

	beforeEach(() => {
		bench.sandbox.updateClient(bench.clientId, { branches: ['1', '2'] });
		bench.sandbox.leads.clear();
		for (const branchId of ['1', '2']) {
			bench.sandbox.addLead('applicant', { id: `of-${branchId}` }, { branchId });
		}
	});

	it('stops at the first failed item', async () => {
		const { error } = await bench.run(parameters, { input });

		expect(error?.message).toBe('“Filter IDs” contains an empty ID');
		expect(error?.context.itemIndex).toBe(1);
	});

	it('takes an empty list for a mistake, not for leads of nobody', async () => {
		const { error } = await bench.run({ ...parameters, filterId: '={{ [] }}' });

		expect(error?.message).toBe('“Filter IDs” contains an empty ID');
	});

	it('continues with one item for each failed one, paired with its input', async () => {
		const { items } = await bench.run(parameters, { input, onError: 'continueRegularOutput' });

		expect(items.map(({ json }) => json.id ?? json.error)).toEqual([
			'of-1',
			'“Filter IDs” contains an empty ID',
			'of-2',
		]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
	});

	it('sends failed items to the error output, with the input they came from', async () => {
		bench.sandbox.faults.add({
			path: PATH,
			kind: 'status',
			status: 503,
			times: Infinity,
			after: 1,
		});

		const { outputs } = await bench.run(
			{ ...parameters, options: { maxTries: 1 } },
			{ input, onError: 'continueErrorOutput' },
		);

		expect(outputs[0]?.map(({ json }) => json.id)).toEqual(['of-1']);
		expect(outputs[1]?.map(({ json }) => [json.ids, json.error, json.code])).toEqual([
			[',', '“Filter IDs” contains an empty ID', 'field'],
			['2', 'The service cannot answer just now (503)', 'serviceFault'],
		]);
		expect(outputs[1]?.[1]?.json.message).toContain('Tried once.');
	});
});
