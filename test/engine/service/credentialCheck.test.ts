import { beforeEach, describe, expect, it } from '@jest/globals';

import type { Sandbox } from '../../lab/sandbox';
import type { Bench } from '../../lab/engine/bench';
import { LeadsBench } from '../../lab/engine/leads';
import { useBench } from '../../lab/engine/useBench';

const bench = useBench(LeadsBench);
let sandbox: Sandbox;

beforeEach(() => {
	sandbox = bench.sandbox;
});

const test: Bench['testCredential'] = async (changes) => await bench.testCredential(changes);

describe('the credential test', () => {
	it('is green with a good pair', async () => {
		expect(await test()).toMatchObject({ status: 'OK' });
	});

	it('asks for a token even while a good one is stored', async () => {
		await bench.run();

		const result = await test({ clientSecret: 'wrong' });

		expect(result.status).toBe('Error');
		expect(result.message).toContain('refused the client ID and client secret');
	});

	it('does not take a stranger that answers with an object for the leads API', async () => {
		const stranger = { path: '/appraisal-leads', times: Infinity };

		for (const status of [200, 400]) {
			sandbox.faults.clear();
			sandbox.faults.add({ ...stranger, kind: 'status', body: 'json', status });
			expect(await test()).toMatchObject({ status: 'Error' });
		}
	});
});
