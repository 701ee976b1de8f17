import { once } from 'node:events';
import { createServer } from 'node:http';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { LeadsBench, visibleText } from '../../../lab/engine/leads';
import { useBench, useRelay } from '../../../lab/engine/useBench';
import { json } from '../../../lab/sandbox/http';

const bench = useBench(LeadsBench);
const relay = useRelay(bench);

beforeEach(() => {
	bench.sandbox.addLead('applicant');
	bench.stored.audience = bench.sandbox.leadsUrl;
});

describe('secrets', () => {
	it('do not follow a redirect', async () => {
		const elsewhere = createServer((_, response) => {
			response.writeHead(307, { location: `${bench.sandbox.authUrl}/oauth2/token` }).end();
		}).listen(0, '127.0.0.1');
		await once(elsewhere, 'listening');
		const address = elsewhere.address();
		const port = typeof address === 'object' ? address?.port : undefined;
		bench.stored.authUrl = `http://127.0.0.1:${port}`;
		const { error } = await bench.run();

		elsewhere.close();

		expect(error?.message).toBe(
			'The address redirects to another one (307), which the node does not follow',
		);
		expect(bench.sandbox.requests).toHaveLength(0);
	});

	it('appear in no error, whatever fails', async () => {
		const faults = [
			{ path: '/oauth2/token', kind: 'status', status: 401 },
			{ path: '/oauth2/token', kind: 'status', status: 500, times: Infinity },
			{ path: '/oauth2/token', kind: 'reset', times: Infinity },
			{ path: '/oauth2/token', kind: 'html' },
			{ path: '/applicant-leads', kind: 'status', status: 401, times: 2 },
			{ path: '/applicant-leads', kind: 'status', status: 429, times: Infinity },
			{ path: '/applicant-leads', kind: 'reset', times: Infinity },
			{ path: '/applicant-leads', kind: 'html' },
		] as const;

		for (const fault of faults) {
			bench.sandbox.faults.clear();
			bench.sandbox.faults.add(fault);
			if (fault.path === '/oauth2/token') bench.stored.accessToken = '';
			bench.sandbox.updateClient(bench.clientId, { clientSecret: `s3cret-${fault.kind}-é+ %` });
			bench.stored.clientSecret = `s3cret-${fault.kind}-é+ %`;
			const run = await bench.run({ options: { maxTries: 2 } });
			expect(run.error).toBeDefined();
			const text = visibleText(run);
			expect(text).not.toContain('s3cret');
			for (const token of bench.sandbox.tokens.byValue.keys()) expect(text).not.toContain(token);
		}
	});

	it('are not shown if the service repeats one, such as the token that took the place of a revoked one', async () => {
		relay.answer(({ earlier, headers }) => {
			const message = `not valid: ${encodeURIComponent(String(headers.authorization))}`;
			return json(earlier === 0 ? 401 : 400, { errors: [{ message, code: 'x', links: [] }] });
		});

		const run = await bench.run();

		expect(bench.tokens).toBe(2);
		expect(run.error?.message).toBeDefined();
		for (const token of bench.sandbox.tokens.byValue.keys())
			expect(visibleText(run)).not.toContain(token);
	});
});
