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

	const again = () => {
		bench.sandbox.updateClient(bench.clientId, { revoked: false });
	};

	it('costs 100 items one token request, and all but the first say so', async () => {
		const { items } = await bench.run({}, { input, onError: 'continueRegularOutput' });

		expect(items).toHaveLength(100);
		expect(bench.tokenRequests).toHaveLength(1);

		const [first, ...others] = new Set(
			strings(items.map(({ json }) => json.message)).map((text) => text.split(' See https://')[0]),
		);

		expect(first).toMatch(/^The service’s code is invalid_client\. .* test it there\.$/);
		expect(others).toEqual([
			`${first} The service said so ${AGAIN}. It is asked again after that time, or at once if you correct the credential or its test passes.`,
		]);
		for (const { json } of items) {
			expect(json.error).toBe('The service refused the client ID and client secret');
		}
	});

	it('that is good again works at once when its test passes, and not when it fails', async () => {
		await bench.run();

		expect(await bench.testCredential()).toMatchObject({ status: 'Error' });

		await bench.run();

		expect(bench.tokenRequests).toHaveLength(2);

		again();
		expect(await bench.testCredential()).toMatchObject({ status: 'OK' });
		expect((await bench.run()).items).toHaveLength(1);
		expect(bench.tokenRequests).toHaveLength(4);
	});
});
