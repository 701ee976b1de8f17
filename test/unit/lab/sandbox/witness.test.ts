import { describe, expect, it } from '@jest/globals';

import { Sandbox } from '../../../lab/sandbox';
import { bearer, request, seconds, tokenRequest } from './helpers';

const INVENTED = { novelty: 1 };

async function askForLeads(sandbox: Sandbox, query = ''): Promise<void> {
	const headers = await bearer(sandbox, sandbox.leadsClient);
	await request(`${sandbox.leadsUrl}/applicant-leads${query}`, { headers });
}

async function askForProperties(sandbox: Sandbox, query: string): Promise<void> {
	const [AgencyRef = ''] = sandbox.inventoryClient.agencyRefs;
	const headers = { ...(await bearer(sandbox, sandbox.inventoryClient)), AgencyRef };
	await request(`${sandbox.inventoryUrl}/inventory/filter?${query}`, { headers });
}

describe('a sandbox that looks at the contract', () => {
	it('is what a test gets by itself', async () => {
		const sandbox = await Sandbox.start();
		sandbox.addLead('applicant', INVENTED);
		await askForLeads(sandbox);

		await expect(sandbox.stop()).rejects.toThrow(
			'leads: GET /applicant-leads → 200: answer: body: /applicants/… must NOT have additional properties (novelty)',
		);
	});

	it('lets unknown fields pass where it answers like a real service', async () => {
		const sandbox = await Sandbox.start({ contract: 'open' });
		sandbox.addLead('applicant', INVENTED);
		await askForLeads(sandbox);
		await sandbox.stop();
	});

	it('looks at nothing on demand', async () => {
		const sandbox = await Sandbox.start({ contract: 'unchecked' });
		sandbox.addLead('applicant', INVENTED);
		await askForLeads(sandbox);
		await sandbox.stop();
	});

	it('tells of a request that it took and the contract does not', async () => {
		const sandbox = await Sandbox.start();
		await askForProperties(sandbox, 'instruction-date-from=2026-03-02');

		await expect(sandbox.stop()).rejects.toThrow(
			'inventory: GET /inventory/filter → 200: request: query instruction-date-from',
		);
	});

	it('overlooks what a test does on purpose', async () => {
		const sandbox = await Sandbox.start();
		sandbox.witness?.overlook(/^request: query instruction-date-from/);
		sandbox.addLead('applicant', INVENTED, { isOdd: true });
		sandbox.updateClient('products-client', { expiresIn: 'an hour' });
		await askForProperties(sandbox, 'instruction-date-from=2026-03-02');
		await askForLeads(sandbox);
		await tokenRequest(sandbox, sandbox.productsClient);
		await sandbox.stop();
	});

	it('says nothing of requests that were refused, nor of faults', async () => {
		const sandbox = await Sandbox.start();
		sandbox.faults.add({ path: '/applicant-leads', kind: 'status', status: 200, body: 'json' });
		await askForLeads(sandbox);
		await askForLeads(sandbox, '?page=2');
		await tokenRequest(sandbox, sandbox.leadsClient, { fields: { scope: 'more' } });
		await sandbox.stop();
	});

	it('knows the names that a test gave the parameters', async () => {
		const leadParameters = { fromTime: 'since', toTime: 'until' };
		const sandbox = await Sandbox.start({ leadParameters });
		const now = seconds(sandbox.now());
		await askForLeads(sandbox, `?since=${now}&until=${now}`);
		await sandbox.stop();
	});
});
