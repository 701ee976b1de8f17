import { describe, expect, it, jest } from '@jest/globals';

import { JSON_TYPE, KEY, usePushHost } from '../../../lab/engine/push';
import type * as VirtualTime from '../../../lab/engine/virtualTime';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const LEAD = { applicant: { id: 'lead 7f3a', message: 'the text of a lead' } };

const COME_AGAIN = '{"message":"n8n cannot take this now. Send it again later."}';

const world = usePushHost();

/** Whether nothing of what was sent, or of the key, was told to anybody. */
function expectSilence(texts: string[]): void {
	for (const secret of [KEY, 'lead 7f3a', 'the text of a lead']) {
		expect(texts.join('\n')).not.toContain(secret);
	}
}

describe('a pushed lead', () => {
	it('is answered 200 once its run has begun', async () => {
		const { status, body } = await world.host.push(LEAD);

		expect([status, body]).toEqual([200, expect.stringContaining('"message":"The lead has a run')]);
		expect(world.host.executions.started).toEqual([
			expect.objectContaining({ id: 'lead 7f3a', leadType: 'applicant' }),
		]);
		expect(world.logged).toEqual([]);
	});

	it.each([
		['application/json'],
		['application/json; charset=utf-8'],
		['Application/JSON;charset="UTF-8"'],
	])('may be %s', async (type) => {
		expect((await world.host.push(LEAD, { 'Content-Type': type })).status).toBe(200);
	});

	it('comes under the names in the options', async () => {
		world.host.parameters.options = { applicantKey: 'buyer', appraisalKey: ' valuation ' };

		const statuses = [
			(await world.host.push({ buyer: { id: 'a' } })).status,
			(await world.host.push({ valuation: { id: 'b' } })).status,
			(await world.host.push({ applicant: { id: 'c' } })).status,
		];

		expect(statuses).toEqual([200, 200, 400]);
		expect(world.host.executions.started.map(({ id, leadType }) => [id, leadType])).toEqual([
			['a', 'applicant'],
			['b', 'appraisal'],
		]);
	});

	it('of a kind that is not wanted is answered 200 without a run', async () => {
		world.host.parameters.leadTypes = ['appraisal'];

		const { status, body } = await world.host.push(LEAD);

		expect([status, body]).toEqual([200, expect.stringContaining('“Trigger On” does not include')]);
		expect(world.host.executions.rows).toEqual([]);
		expect(world.logged).toEqual([]);
	});

	it('keeps in its raw item what nobody knows', async () => {
		world.host.parameters.simplify = false;
		const lead = { id: 'a', newField: { deep: [null, { more: '🏠' }] }, leadType: 'theirs' };

		await world.host.push({ applicant: lead, version: 2 });

		expect(world.host.executions.started).toEqual([{ ...lead, leadType: 'applicant' }]);
	});

	it('changes no prototype', async () => {
		world.host.parameters.simplify = false;

		await world.host.push('{"applicant":{"id":"a","__proto__":{"polluted":true}}}');

		expect(Object.keys(world.host.executions.started[0] ?? {})).toEqual([
			'id',
			'__proto__',
			'leadType',
		]);
		expect('polluted' in {}).toBe(false);
	});
});

describe('a push is refused with 401, and no word in the log', () => {
	it.each<[string, string | undefined]>([
		['no header', undefined],
		['an empty header', ''],
		['another key', 'another key'],
		['the start of the key', KEY.slice(0, -1)],
		['the key and more', `${KEY}0`],
		['the key in capitals', KEY.toUpperCase()],
		['the key after Bearer', `Bearer ${KEY}`],
		['the key after Basic', `Basic ${Buffer.from(`:${KEY}`).toString('base64')}`],
	])('for %s', async (_, authorization) => {
		const { status, body, headers } = await world.host.push(LEAD, {
			Authorization: authorization,
		});

		expect([status, body]).toEqual([401, expect.stringContaining('"message":"The key or token')]);
		expect(headers).not.toHaveProperty('retry-after');
		expect(world.host.executions.rows).toEqual([]);
		expect(world.logged).toEqual([]);
	});

	it('before anything is read of its body', async () => {
		const { status } = await world.host.push('no lead', {
			Authorization: 'x',
			'Content-Type': 'text/plain',
		});

		expect(status).toBe(401);
		expect(world.logged).toEqual([]);
	});
});

describe('the key', () => {
	const keyed = async (stored: Record<string, unknown>, authorization: string) => {
		Object.assign(world.host.credentials.rows.credential ?? {}, stored);
		return (await world.host.push(LEAD, { Authorization: authorization })).status;
	};

	it('may be the next one as well', async () => {
		const both = { apiKey: 'old key', nextApiKey: 'new key' };

		expect(await keyed(both, 'old key')).toBe(200);
		expect(await keyed(both, 'new key')).toBe(200);
		expect(await keyed({ apiKey: 'new key', nextApiKey: '' }, 'old key')).toBe(401);
	});

	it.each([[''], [undefined], [null], [7]])('lets nobody in if it is %p', async (apiKey) => {
		expect(await keyed({ apiKey }, '')).toBe(401);
		expect(await keyed({ apiKey }, String(apiKey))).toBe(401);
	});

	it.each([['with  two spaces'], ['"quoted", and: more;']])('may be “%s”', async (apiKey) => {
		expect(await keyed({ apiKey }, apiKey)).toBe(200);
	});
});

describe('what is no lead', () => {
	it.each([
		['plain text', 'text/plain'],
		['a form', 'application/x-www-form-urlencoded'],
		['another kind of JSON, which n8n does not read', 'application/vnd.lead+json'],
		['JSON with a space that n8n does not know', 'application/json ; charset=utf-8'],
		['what only begins like JSON', 'application/json-seq'],
		['nothing', undefined],
	])('is refused if its content type is %s', async (_, type) => {
		const { status, body } = await world.host.push(LEAD, { 'Content-Type': type });

		expect([status, body]).toEqual([400, expect.stringContaining('one lead as application/json')]);
		expect(world.host.executions.rows).toEqual([]);
		expect(world.logged).toEqual([expect.stringContaining('not sent as application/json')]);
		expectSilence(world.logged);
	});

	it.each([
		['nothing', ''],
		['a text', '"lead 7f3a"'],
		['null', 'null'],
		['a list', [LEAD]],
		['a lead without a wrapper', LEAD.applicant],
		['an unknown wrapper', { tenant: LEAD.applicant }],
		['a list of leads', { applicant: [LEAD.applicant] }],
		['an empty lead', { applicant: {} }],
		['two leads', { ...LEAD, appraisal: LEAD.applicant }],
		['a wrapper in the prototype', '{"__proto__":{"applicant":{"id":"lead 7f3a"}}}'],
	])('is refused with 400: %s', async (_, sent) => {
		const { status, body } = await world.host.push(sent);

		expect([status, body]).toEqual([400, expect.stringContaining('"message":"The body must hold')]);
		expect(world.host.executions.rows).toEqual([]);
		expect(world.logged).toEqual([expect.stringContaining('it holds no lead')]);
		expectSilence(world.logged);
	});

	it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
		'is not found in every object if the option is %s',
		async (applicantKey) => {
			world.host.parameters.options = { applicantKey };

			expect((await world.host.push({ other: { id: 'a' } })).status).toBe(400);
		},
	);
});

describe('what goes wrong inside', () => {
	it('is answered 503, and told without its text', async () => {
		world.host.credentials.getDecrypted = async () =>
			await Promise.reject(new TypeError(`${KEY} and the text of a lead`));

		const { status, body, headers } = await world.host.push(LEAD);

		expect([status, body, headers['retry-after']]).toEqual([503, COME_AGAIN, '30']);
		expect(world.logged).toEqual([expect.stringContaining('(TypeError)')]);
		expectSilence(world.logged);
	});

	it('is answered 503 to nobody but the operator if a field is wrong', async () => {
		world.host.parameters.options = { applicantKey: ' ' };

		expect((await world.host.push(LEAD)).status).toBe(503);
		expect((await world.host.push(LEAD, { Authorization: 'x' })).status).toBe(401);
		expectSilence(world.logged);
	});
});

describe('without a starter', () => {
	it('a process that starts no triggers asks it to come again, and the log says where to send it', async () => {
		await world.host.stop();

		const { status, body, headers } = await world.host.push(LEAD);

		expect([status, body, headers['retry-after']]).toEqual([503, COME_AGAIN, '30']);
		expect(world.host.executions.rows).toEqual([]);
		expect(world.logged).toEqual([expect.stringContaining('routed to a main process')]);
	});

	it('n8n starts the run of a test by hand, and the sender hears of it', async () => {
		world.host.mode = 'manual';

		const { status, body } = await world.host.push(LEAD, JSON_TYPE);

		expect([status, body]).toEqual([200, expect.stringContaining('test run in the editor')]);
		expect(world.host.executions.rows).toEqual([
			{ json: expect.objectContaining({ id: 'lead 7f3a' }) },
		]);
	});
});
