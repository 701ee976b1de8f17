import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { recordProblems } from '../../../lab/conformance/problems';
import { Sandbox } from '../../../lab/sandbox';
import { bearer, body, request, type Reply } from './helpers';

let sandbox: Sandbox;
let token: Record<string, string>;

beforeAll(async () => {
	sandbox = await Sandbox.start();
	token = await bearer(sandbox, sandbox.inventoryClient);
});

afterAll(async () => {
	await sandbox.stop();
});

async function ask(path: string, agencyRef?: string): Promise<Reply> {
	const [own = ''] = sandbox.inventoryClient.agencyRefs;
	const headers = { ...token, AgencyRef: agencyRef ?? own };
	return await request(`${sandbox.inventoryUrl}${path}`, { headers });
}

interface Page {
	meta: { nextToken: string | null };
	items: Array<Record<string, unknown>>;
}

describe('beside the inventory', () => {
	it.each([
		['/branches', 'BranchList'],
		['/branches/12', 'Branch'],
		['/negotiators', 'NegotiatorList'],
		['/negotiators/41', 'Negotiator'],
		['/partners/integration', 'Integration'],
	])('%s is answered as the contract has it', async (path, schema) => {
		const reply = await ask(path);

		expect(reply.status).toBe(200);
		expect(recordProblems('inventory', schema, body(reply), 'closed')).toEqual([]);
	});

	it.each(['/branches', '/negotiators'])('%s comes in pages', async (path) => {
		const all = body<Page>(await ask(path)).items;
		const first = body<Page>(await ask(`${path}?max-results=2`));

		const second = body<Page>(
			await ask(`${path}?max-results=2&next-token=${first.meta.nextToken}`),
		);

		expect([...first.items, ...second.items]).toEqual(all);
		expect(second.meta.nextToken).toBeNull();
	});

	it('branches that are closed are left out on request', async () => {
		const { items } = body<Page>(await ask('/branches?activeOnly=true'));

		expect(new Set(items.map(({ status }) => status))).toEqual(new Set(['Active']));
	});

	it.each(['/branches/99', '/negotiators/99'])('%s is not there', async (path) => {
		expect((await ask(path)).status).toBe(404);
	});

	it('an AgencyRef that is not one of the client is refused', async () => {
		expect((await ask('/branches', 'other')).status).toBe(403);
	});
});
