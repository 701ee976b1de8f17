import { describe, expect, it } from '@jest/globals';

import { HttpReceiver } from '../../../lab/n8n/httpReceiver';
import { Sandbox } from '../../../lab/sandbox';
import { useInEach } from '../../../lab/standIn';
import { body, request } from './helpers';

const KEY = 'an invented key, 6d0b2f';
const SECRET = 'an:invented+secret%20';

/** A whole day of repeats in less than a second. */
const IN_NO_TIME = 500_000;

const sandbox = useInEach(async () => await Sandbox.start());
const receiver = useInEach(async () => await HttpReceiver.start());

async function control(method: string, name: string, input?: unknown) {
	return await request(`${sandbox.url}/_sandbox/${name}`, {
		method,
		body: input === undefined ? undefined : JSON.stringify(input),
	});
}

async function register(more: object = {}): Promise<void> {
	const authentication = { by: 'key', key: KEY };
	const target = { url: receiver.url, authentication, ...more };
	expect((await control('POST', 'push-addresses', target)).status).toBe(200);
	sandbox.pushes.compression = IN_NO_TIME;
}

/** @returns the status of each push of it, once nothing is pushed any more */
async function push(input: object): Promise<number[]> {
	const before = sandbox.pushes.log.length;
	expect((await control('POST', 'pushes', input)).status).toBe(200);
	await sandbox.pushes.settled();
	return sandbox.pushes.log.slice(before).map(({ answer }) => answer.status);
}

const wrapped = () => receiver.requests.map((each) => each.body);

describe('a push', () => {
	it('is of a new lead, which polls find too, or of one that is there', async () => {
		await register();

		const statuses = await push({ kind: 'appraisal', overrides: { message: 'Hello' } });
		const [first] = wrapped();
		const { id } = (first?.appraisal ?? {}) as { id?: string };
		await push({ kind: 'appraisal', id });

		expect(statuses).toEqual([200]);
		expect(receiver.requests[0]?.headers).toMatchObject({
			authorization: KEY,
			'content-type': 'application/json',
		});
		expect(first).toEqual({ appraisal: sandbox.leads.find('appraisal', String(id)) });
		expect(wrapped()).toEqual([first, first]);
		expect(sandbox.leads.count('appraisal')).toBe(1);
	});

	it('travels as it is told, and as usual when it comes again', async () => {
		await register();

		expect(await push({ kind: 'applicant', copies: 3 })).toEqual([200, 200, 200]);
		expect(await push({ kind: 'applicant', takesMs: 20 })).toEqual([200]);
		expect(await push({ kind: 'applicant', cutAfter: 10 })).toEqual([0, 200]);

		receiver.answer = ({ headers }) => (headers.authorization === KEY ? 200 : 401);

		expect(await push({ kind: 'applicant', isWrong: true })).toEqual([401, 200]);
	});

	it('comes again for 24 hours, and then never', async () => {
		await register();
		receiver.answer = () => 503;

		const statuses = await push({ kind: 'applicant' });

		expect(new Set(statuses)).toEqual(new Set([503]));
		expect(statuses).toHaveLength(24 * 12);
	});

	it('is given up, and the answers forgotten', async () => {
		await register();
		await control('POST', 'push-speed', { compression: 1 });
		receiver.answer = () => 503;
		await control('POST', 'pushes', { kind: 'applicant' });

		await control('DELETE', 'pushes');
		await sandbox.pushes.settled();
		receiver.answer = () => 200;

		expect(await push({ kind: 'applicant' })).toEqual([200]);
		expect(receiver.requests.filter(({ status }) => status === 503).length).toBeLessThan(2);
	});

	it('goes to each address that wants the lead, by four switches', async () => {
		await register({ without: ['appraisal', 'lettings'] });
		const sales = { enquiryType: 'ENQUIRY_TYPE_SALES' };
		const lettings = { enquiryType: 'ENQUIRY_TYPE_LETTINGS' };
		const neither = { enquiryType: 'ENQUIRY_TYPE_UNSPECIFIED' };

		expect(await push({ kind: 'applicant', overrides: sales })).toEqual([200]);
		expect(await push({ kind: 'applicant', overrides: lettings })).toEqual([]);
		expect(await push({ kind: 'applicant', overrides: neither })).toEqual([200]);
		expect(await push({ kind: 'appraisal', overrides: sales })).toEqual([]);

		await register({ url: `${receiver.url}/second` });

		expect(await push({ kind: 'applicant', overrides: sales })).toEqual([200, 200]);
	});
});

describe('the page', () => {
	it('shows the addresses and the answers, and no secret', async () => {
		const tokenUrl = `${receiver.url}/token`;
		const pair = { clientId: 'operator', clientSecret: SECRET };
		await register();
		const authentication = { by: 'token', tokenUrl, ...pair };
		await register({ url: `${receiver.url}/second`, authentication, without: ['sales'] });
		receiver.answer = () => 503;
		const { id } = body<{ id: string }>(await control('POST', 'pushes', { kind: 'applicant' }));
		await sandbox.pushes.stop();

		const page = await control('GET', '');
		const shown = [page, await control('GET', 'pushes'), await control('GET', 'push-addresses')];

		expect(page.text).toContain(`<th scope="row">${id}</th><td>503</td>`);
		expect(page.text).toContain('<td>by token</td><td>without sales</td>');
		for (const { text } of shown) {
			expect(text).not.toContain(KEY);
			expect(text).not.toContain(SECRET);
		}

		await control('DELETE', 'push-addresses');

		expect((await control('GET', '')).text).toContain('No address is registered');
	});

	it('goes once to an address that was registered twice, as the second time wants it', async () => {
		await register();
		await register({ without: ['appraisal'] });

		expect(await push({ kind: 'applicant' })).toEqual([200]);
		expect(await push({ kind: 'appraisal' })).toEqual([]);
	});

	it('tells what it does not understand', async () => {
		const authentication = { by: 'key', key: KEY };
		const nowhere = await control('POST', 'pushes', { kind: 'applicant' });

		expect([nowhere.status, body(nowhere)]).toEqual([400, { message: 'no address is registered' }]);

		await register();
		for (const [name, input] of [
			['push-addresses', { url: 'ftp://example.com', authentication }],
			['push-addresses', { url: receiver.url }],
			['push-addresses', { url: receiver.url, authentication: { by: 'trust' } }],
			['push-addresses', { url: receiver.url, authentication, without: ['houses'] }],
			['pushes', { kind: 'other' }],
			['pushes', { kind: 'applicant', id: 'nobody' }],
			['pushes', { kind: 'applicant', copies: 'many' }],
			['push-speed', { compression: 0 }],
		] as const) {
			expect((await control('POST', name, input)).status).toBe(400);
		}
	});
});
