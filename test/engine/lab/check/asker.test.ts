import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { empty } from '../../../lab/engine/relay';
import { CheckedService, HURRIED } from './checkedService';

let service: CheckedService;
beforeEach(async () => {
	service = await CheckedService.start();
});
afterEach(async () => await service.stop());

describe('a service that is busy', () => {
	it('is asked again after the time that it names', async () => {
		service.sandbox.faults.add({
			path: '/applicant-leads',
			kind: 'status',
			status: 429,
			retryAfter: 0,
		});

		expect((await service.check(service.environment('leads'))).code).toBe(0);
	});

	it('is left alone if it names a long time', async () => {
		service.at('/applicant-leads', () => empty(429, { 'retry-after': '86400' }));

		const { text: all } = await service.check(service.environment('leads'));

		expect(all).toContain('the service is busy (429) and asks for a wait that is too long');
	});

	it('is not asked for ever', async () => {
		service.at('/applicant-leads', () => empty(429));

		const { text: all } = await service.check(service.environment('leads'));

		expect(all).toContain('the service was busy (429) 3 times');
	});

	it('is asked again where it fails, is cut off or does not know its own token for once', async () => {
		const { clientId } = service.sandbox.leadsClient;
		const path = '/applicant-leads';
		service.sandbox.faults.add({ path, kind: 'status', status: 503 });
		service.sandbox.faults.add({ path, kind: 'reset' });
		service.relay.answer(async ({ path: asked }, pass) => {
			const answer = await pass();
			if (!asked.endsWith(path)) return answer;
			service.sandbox.revokeTokens(clientId);
			service.relay.clear();
			return answer;
		});

		const { code, differs } = await service.check(service.environment('leads'));

		expect(differs.join('\n')).toMatch(
			/^differs.*one token serves all requests: refused \(401\) for 1 of/,
		);
		expect(code).toBe(1);
		expect(service.sandbox.counts.tokens[clientId]).toBe(2);
	});

	it('is not waited for if it never answers', async () => {
		service.relay.answer(async ({ path }, pass) =>
			path.endsWith('/applicant-leads') ? await new Promise(() => undefined) : await pass(),
		);

		const { text: all } = await service.check(service.environment('leads'), {
			...HURRIED,
			deadline: 50,
		});

		expect(all).toContain('no answer: it took too long');
	});
});
