import { beforeEach, describe, expect, it } from '@jest/globals';

import { LeadsBench } from '../../../lab/engine/leads';
import { useBench } from '../../../lab/engine/useBench';
import { strings } from '../../../lab/strings';

const bench = useBench(LeadsBench);

beforeEach(() => {
	bench.sandbox.addLead('applicant');
});

describe('a refused pair', () => {
	const input = Array.from({ length: 100 }, () => ({ json: {} }));
	const AGAIN = 'less than 5 minutes ago and was not asked again';

	beforeEach(() => {
		bench.sandbox.revokeClient(bench.clientId);
	});

	it('costs 100 items one token request, and all but the first say so', async () => {
		const { items } = await bench.run({}, { input, onError: 'continueRegularOutput' });

		expect(items).toHaveLength(100);
		expect(bench.tokenRequests).toHaveLength(1);

		const [first, ...others] = new Set(
			strings(items.map(({ json }) => json.message)).map((text) => text.split(' See https://')[0]),
		);

		expect(first).toMatch(/^The service’s code is invalid_client\. .* Then test the credential\.$/);
		expect(others).toEqual([
			`${first} The service said so ${AGAIN}. It is asked again after that time, or at once if you correct the credential or its test passes.`,
		]);
		for (const { json } of items) {
			expect(json.error).toBe('The service refused the client ID and client secret');
		}
	});
});
