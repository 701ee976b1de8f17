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

	it('is green for a client that must filter', async () => {
		sandbox.updateClient(bench.clientId, { branches: ['1', '2'] });

		expect(await test()).toMatchObject({ status: 'OK' });
	});

	it('repeats while the service is busy', async () => {
		sandbox.faults.add({ path: '/oauth2/token', kind: 'status', status: 429 });
		sandbox.faults.add({ path: '/appraisal-leads', kind: 'reset' });

		expect(await test()).toMatchObject({ status: 'OK' });
	});

	it.each([
		['an empty field', { clientId: '' }, '“Client ID” is empty'],
		['an address that is none', { authUrl: 'auth' }, '“Auth URL” in the credential is not a web'],
		['nobody listening', { authUrl: 'http://127.0.0.1:9' }, 'The service refused the connection'],
		['another audience', { audience: 'https://other.example.com' }, 'refused the audience'],
	])('names %s', async (_, changes, words) => {
		const result = await test(changes);

		expect(result.status).toBe('Error');
		expect(result.message).toContain(words);
	});

	it('keeps to the domains that the credential allows', async () => {
		const domains = { allowedHttpRequestDomains: 'domains', allowedDomains: 'leads.example.com' };

		expect((await test(domains)).message).toContain('not allowed');
		expect(sandbox.requests).toHaveLength(0);
		expect(await test({ ...domains, allowedDomains: '127.0.0.1' })).toMatchObject({
			status: 'OK',
		});
	});

	it('names an Auth URL without a token service', async () => {
		const result = await test({ authUrl: `${sandbox.url}/nowhere` });

		expect(result.message).toContain('no token service at this address');
	});

	it('names a Leads URL without a leads API', async () => {
		const result = await test({ leadsUrl: `${sandbox.url}/nowhere`, audience: sandbox.leadsUrl });

		expect(result.message).toContain('found nothing at this address');
	});

	it('names a token that the leads API does not take', async () => {
		sandbox.faults.add({ path: '/appraisal-leads', kind: 'status', status: 401 });

		expect((await test()).message).toContain('the audience may be wrong');
	});

	it('names a client that may not read leads', async () => {
		sandbox.updateClient(bench.clientId, { permitted: false });

		expect((await test()).message).toContain('this client ID may not read leads (403)');
	});

	it.each(['/oauth2/token', '/appraisal-leads'])('names a busy %s', async (path) => {
		sandbox.faults.add({ path, kind: 'status', status: 429, times: Infinity });

		const { status, message } = await test();

		expect(status).toBe('Error');
		expect(message).toMatch(/busy.*Tried 3 times/);
	});

	it('names a web page', async () => {
		sandbox.faults.add({ path: '/oauth2/token', kind: 'html', times: Infinity });

		expect((await test()).message).toContain('web page instead of data');
	});

	it('does not take a stranger that answers with an object for the leads API', async () => {
		const stranger = { path: '/appraisal-leads', times: Infinity };

		for (const status of [200, 400]) {
			sandbox.faults.clear();
			sandbox.faults.add({ ...stranger, kind: 'status', body: 'json', status });
			expect(await test()).toMatchObject({ status: 'Error' });
		}
	});

	it('says no secret', async () => {
		sandbox.faults.add({ path: '/oauth2/token', kind: 'reset', times: Infinity });

		for (const clientSecret of ['wrong-s3cret', sandbox.leadsClient.clientSecret]) {
			expect((await test({ clientSecret })).message).not.toContain(clientSecret);
		}
	});
});
