import { describe, expect, it } from '@jest/globals';

import { OPERATIONS } from '../../../lab/conformance/operations';
import { recordProblems } from '../../../lab/conformance/problems';
import type { Api } from '../../../lab/conformance/schemas';
import { APIS, MODES } from '../../../lab/conformance/schemas';
import inventory from '../../../lab/contract/inventory.json';
import leads from '../../../lab/contract/leads.json';
import products from '../../../lab/contract/products.json';

const EXAMPLES: Record<Api, Record<string, { value: unknown }>> = {
	leads: leads.components.examples,
	products: products.components.examples,
	inventory: inventory.components.examples,
};

describe('the contract', () => {
	it.each(
		Object.entries(EXAMPLES).flatMap(([api, examples]) =>
			Object.keys(examples).map((name) => [api, name]),
		),
	)('keeps its own rules: %s, %s', (apiName, name) => {
		const api = APIS.find((each) => each === apiName) ?? 'leads';

		const value = EXAMPLES[api][name ?? '']?.value;

		for (const mode of MODES) expect(recordProblems(api, name ?? '', value, mode)).toEqual([]);
	});

	it('documents a success and a refusal of every operation', () => {
		for (const { id, answers } of OPERATIONS) {
			const statuses = [...answers.keys()];
			expect([id, statuses.some((status) => status < 300)]).toEqual([id, true]);
			expect([id, statuses]).toEqual([id, expect.arrayContaining([401, 403, 429, 500])]);
		}
	});
});
