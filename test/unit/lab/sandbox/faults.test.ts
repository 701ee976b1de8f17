import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Sandbox } from '../../../lab/sandbox';
import { DAY, bearer, body, request, tokenRequest, type Reply } from './helpers';

let sandbox: Sandbox;
let token: Record<string, string>;
beforeEach(async () => {
	sandbox = await Sandbox.start();
	token = await bearer(sandbox, sandbox.leadsClient);
});
afterEach(() => sandbox.stop());

const leads = (init?: RequestInit): Promise<Reply> =>
	request(`${sandbox.leadsUrl}/applicant-leads`, { headers: token, ...init });

async function statuses(count: number): Promise<number[]> {
	const seen: number[] = [];
	for (let index = 0; index < count; index++) seen.push((await leads()).status);
	return seen;
}

async function activation(): Promise<Record<string, string>> {
	const headers = await bearer(sandbox, sandbox.productsClient);
	return { ...headers, 'Content-Type': 'application/json' };
}

function post(headers: Record<string, string>): Promise<Reply> {
	const url = `${sandbox.productsUrl}/products/premium-listings`;
	return request(url, { method: 'POST', headers, body: '{"listingId":7}' });
}

describe('a rule', () => {
	it('fires once unless told otherwise', async () => {
		sandbox.faults.add({ kind: 'status', status: 500 });

		expect(await statuses(3)).toEqual([500, 200, 200]);
	});

	it('fires a number of times, or always, until it is removed', async () => {
		sandbox.faults.add({ kind: 'status', status: 500, times: 2 });
		const always = sandbox.faults.add({ kind: 'status', status: 503, times: Infinity });

		expect(await statuses(4)).toEqual([500, 500, 503, 503]);

		always.remove();
		expect(await statuses(1)).toEqual([200]);

		sandbox.faults.add({ kind: 'status', status: 500 });
		sandbox.faults.clear();
		expect(await statuses(1)).toEqual([200]);
	});

	it('lets some pass first', async () => {
		sandbox.faults.add({ kind: 'status', status: 500, after: 2 });

		expect(await statuses(4)).toEqual([200, 200, 500, 200]);
	});

	it('fires with a probability, the same for the same seed', async () => {
		const rule = { kind: 'status', status: 500, times: Infinity, probability: 0.5 } as const;
		sandbox.faults.add(rule);
		const seen = await statuses(40);
		const twin = await Sandbox.start({ seed: 1 });
		const other = await Sandbox.start({ seed: 2 });

		const drawn = (from: Sandbox) => {
			from.faults.add(rule);
			const target = { method: 'GET', path: '/', clientId: null, at: from.now() };
			return seen.map(() => (from.faults.plan(target).fault === undefined ? 200 : 500));
		};

		expect(drawn(twin)).toEqual(seen);
		expect(drawn(other)).not.toEqual(seen);
		expect(seen.filter((status) => status === 500).length).toBeGreaterThan(8);
		expect(seen.filter((status) => status === 200).length).toBeGreaterThan(8);

		await Promise.all([twin.stop(), other.stop()]);
	});

	it('is for a method, a path or a client', async () => {
		const missing = [
			{ method: 'POST' },
			{ path: '/appraisal-leads' },
			{ path: 'applicant-leads' },
			{ path: /appraisal/ },
			{ clientId: 'products-client' },
		];
		for (const target of missing) sandbox.faults.add({ kind: 'status', status: 500, ...target });

		expect(await statuses(1)).toEqual([200]);

		sandbox.faults.clear();
		const matching = [
			{ method: 'get' },
			{ path: '/applicant-leads' },
			{ path: '/leads-api/applicant-leads' },
			{ path: /applicant/g },
			{ clientId: 'leads-client' },
		];
		for (const target of matching) sandbox.faults.add({ kind: 'status', status: 500, ...target });
		expect(await statuses(6)).toEqual([500, 500, 500, 500, 500, 200]);

		sandbox.faults.add({ kind: 'status', status: 500, path: /applicant/g, times: 2 });
		expect(await statuses(3)).toEqual([500, 500, 200]);
	});

	it('meets token requests by their client too', async () => {
		sandbox.faults.add({ kind: 'status', status: 503, clientId: 'leads-client' });

		expect((await tokenRequest(sandbox, sandbox.productsClient)).status).toBe(200);

		const reply = await tokenRequest(sandbox, sandbox.leadsClient);

		expect(reply.status).toBe(503);
		expect(body(reply)).toEqual({
			error: 'server_error',
			error_description: 'Service Unavailable',
		});
	});
});

describe('a status', () => {
	it.each([401, 500, 502, 503, 504])('%i has the shape of the API', async (status) => {
		sandbox.faults.add({ kind: 'status', status });

		const reply = await leads();

		expect(reply.status).toBe(status);
		expect(body(reply)).toEqual({
			errors: [{ message: expect.any(String), code: expect.any(Number), links: [] }],
		});
		expect(reply.headers.get('retry-after')).toBeNull();
	});

	it.each([403, 429])('%i of the leads API has no body', async (status) => {
		sandbox.faults.add({ kind: 'status', status });

		expect(await leads()).toMatchObject({ status, text: '' });
	});

	it('has another body on demand', async () => {
		sandbox.faults.add({ kind: 'status', status: 502, body: 'empty' });
		sandbox.faults.add({ kind: 'status', status: 502, body: 'html' });
		sandbox.faults.add({ kind: 'status', status: 502, body: 'json' });

		const [empty, html, json] = [await leads(), await leads(), await leads()];

		expect([empty.status, html.status, json.status]).toEqual([502, 502, 502]);
		expect(empty.text).toBe('');
		expect(html.text).toContain('<h1>502 Bad Gateway</h1>');
		expect(html.headers.get('content-type')).toContain('text/html');
		expect(body(json)).toEqual({ message: 'Bad Gateway' });
	});

	it('says when to come back: in seconds, verbatim, or as a date by the sandbox’s clock', async () => {
		sandbox.advance(2 * DAY);
		token = await bearer(sandbox, sandbox.leadsClient);
		sandbox.faults.add({ kind: 'status', status: 429, retryAfter: 7 });
		sandbox.faults.add({ kind: 'status', status: 429, retryAfter: 'soon' });
		sandbox.faults.add({ kind: 'status', status: 429, retryAfter: { dateInMs: 60_000 } });

		expect((await leads()).headers.get('retry-after')).toBe('7');
		expect((await leads()).headers.get('retry-after')).toBe('soon');

		const { headers } = await leads();

		const wait =
			Date.parse(headers.get('retry-after') ?? '') - Date.parse(headers.get('date') ?? '');

		expect(wait).toBeGreaterThanOrEqual(60_000);
		expect(wait).toBeLessThanOrEqual(61_000);
	});
});

describe('a page of a proxy', () => {
	it('comes with 200, or with another status', async () => {
		sandbox.faults.add({ kind: 'html' });
		sandbox.faults.add({ kind: 'html', status: 503 });

		const [usual, other] = [await leads(), await leads()];

		expect([usual.status, other.status]).toEqual([200, 503]);
		expect(usual.text).toMatch(/^<!DOCTYPE html>/);
		expect(usual.headers.get('content-type')).toContain('text/html');
	});
});

describe('a body', () => {
	it('is cut short on the wire', async () => {
		sandbox.addLead('applicant');
		sandbox.faults.add({ kind: 'truncate' });

		const response = await fetch(`${sandbox.leadsUrl}/applicant-leads`, { headers: token });

		expect(response.status).toBe(200);
		expect(Number(response.headers.get('content-length'))).toBeGreaterThan(500);
		await expect(response.text()).rejects.toThrow('terminated');
		expect((await leads()).status).toBe(200);
	});

	it('is complete but holds half of the JSON, streamed answers as well', async () => {
		sandbox.faults.add({ kind: 'cutJson', times: 2 });

		for (const count of [0, 1200]) {
			sandbox.addLeads('applicant', count, { from: sandbox.now() - 60_000 });
			const reply = await leads();
			expect(reply.status).toBe(200);
			expect(reply.text).toMatch(/^\{"applic/);
			expect(() => body(reply)).toThrow(SyntaxError);
		}
	});
});

describe('a connection', () => {
	it('is reset', async () => {
		sandbox.faults.add({ kind: 'reset' });

		await expect(leads()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
		expect(sandbox.requests.at(-1)).toMatchObject({
			path: '/leads-api/applicant-leads',
			status: 0,
		});
		expect((await leads()).status).toBe(200);
	});

	it('hangs until the sandbox stops', async () => {
		const own = await Sandbox.start();
		own.faults.add({ kind: 'hang' });
		const hanging = tokenRequest(own, own.leadsClient);

		const seen = await own.waitForRequest((each) => each.path === '/auth/oauth2/token');

		expect(seen.status).toBeNull();

		await Promise.all([expect(hanging).rejects.toThrow('fetch failed'), own.stop()]);

		expect(own.counts.tokens).toEqual({});
	});

	it('is ended by a client that does not wait', async () => {
		sandbox.faults.add({ kind: 'hang' });
		const aborter = new AbortController();
		const hanging = leads({ signal: aborter.signal });
		await sandbox.waitForRequest((each) => each.path.endsWith('/applicant-leads'));
		aborter.abort();

		await expect(hanging).rejects.toThrow();

		const ended = await sandbox.waitForRequest((each) => each.status === 0);

		expect(ended.path).toBe('/leads-api/applicant-leads');
	});
});

describe('latency', () => {
	it('delays the usual answer, and adds to another fault', async () => {
		sandbox.faults.add({ kind: 'latency', ms: 60, times: 2 });
		sandbox.faults.add({ kind: 'latency', ms: 60, when: 'after', times: 2 });

		sandbox.faults.add({ kind: 'status', status: 500, after: 1 });

		for (const status of [200, 500]) {
			const start = performance.now();
			expect((await leads()).status).toBe(status);
			// A timer may be a millisecond early.
			expect(performance.now() - start).toBeGreaterThanOrEqual(115);
		}
	});
});

describe('before or after the work', () => {
	it.each([{ kind: 'status', status: 500 }, { kind: 'html' }, { kind: 'reset' }] as const)(
		'a POST is taken or not: %j',
		async (fault) => {
			const headers = await activation();
			sandbox.faults.add({ ...fault, method: 'POST', path: /products/ });

			await post(headers).catch(() => undefined);

			expect(sandbox.counts.credits).toBe(0);

			sandbox.faults.add({ ...fault, method: 'POST', path: /products/, when: 'after' });

			await post(headers).catch(() => undefined);

			expect(sandbox.counts.credits).toBe(1);
			expect((await post(headers)).status).toBe(303);
			expect(sandbox.counts.credits).toBe(1);
		},
	);

	it('a POST that hangs was taken or not', async () => {
		const headers = await activation();
		const hangs = async (when: 'before' | 'after') => {
			sandbox.faults.add({ kind: 'hang', method: 'POST', path: /products/, when });
			sandbox.resetCounts();
			const aborter = new AbortController();
			const url = `${sandbox.productsUrl}/products/premium-listings`;
			const init = { method: 'POST', headers, body: '{"listingId":7}', signal: aborter.signal };
			const hanging = request(url, init);
			await sandbox.waitForRequest((each) => each.method === 'POST');
			aborter.abort();
			await expect(hanging).rejects.toThrow();
			await sandbox.waitForRequest((each) => each.status === 0);
			return sandbox.counts.credits;
		};

		expect([await hangs('before'), await hangs('after')]).toEqual([0, 1]);
	});

	it('a body that is cut was always worked on', async () => {
		const headers = await activation();
		sandbox.faults.add({ kind: 'truncate', method: 'POST', path: /products/ });

		await expect(post(headers)).rejects.toThrow('terminated');
		expect(sandbox.counts.credits).toBe(1);
	});

	it('a token may be issued and lost', async () => {
		sandbox.resetCounts();
		sandbox.faults.add({ kind: 'reset', when: 'after' });

		await expect(tokenRequest(sandbox, sandbox.leadsClient)).rejects.toThrow();
		expect(sandbox.counts.tokens).toEqual({ 'leads-client': 1 });

		sandbox.faults.add({ kind: 'reset' });
		await expect(tokenRequest(sandbox, sandbox.leadsClient)).rejects.toThrow();
		expect(sandbox.counts.tokens).toEqual({ 'leads-client': 1 });
		expect(sandbox.counts.tokenRequests).toEqual({ 'leads-client': 2 });
	});
});
