import { beforeEach, describe, expect, it } from '@jest/globals';

import { LeadsBench } from '../../../lab/engine/leads';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(LeadsBench);

beforeEach(() => {
	bench.sandbox.addLead('applicant');
});

describe('the token request', () => {
	it('keeps to the limits of the node, which do not multiply', async () => {
		bench.sandbox.faults.add({
			path: '/oauth2/token',
			kind: 'status',
			status: 429,
			times: Infinity,
		});

		const { error } = await bench.run({ options: { maxTries: 3 } });

		expect(bench.tokenRequests).toHaveLength(3);
		expect(error?.message).toBe('The service is too busy to issue a token (429)');
		expect(error?.description).toContain('Tried 3 times');
		expect(error?.failure).toEqual({ cause: 'rate-limited' });
	});

	it.each(['the one that began it', 'one that shares it'])(
		'goes on for the others when %s is cancelled',
		async (which) => {
			bench.sandbox.faults.add({ path: '/oauth2/token', kind: 'latency', ms: 500 });
			const first = bench.start();
			await bench.sandbox.waitForRequest(({ path }) => path.endsWith('/oauth2/token'));
			const second = bench.start();
			const [cancelled, other] = which.includes('began') ? [first, second] : [second, first];
			setImmediate(cancelled.cancel);

			await expect(cancelled.run).resolves.toMatchObject({ status: 'canceled' });
			expect((await other.run).items).toHaveLength(1);
			expect(bench.tokenRequests).toHaveLength(1);
		},
	);
});
