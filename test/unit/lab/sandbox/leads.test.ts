import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Sandbox } from '../../../lab/sandbox';
import { DAY, HOUR, MINUTE, bearer, body, request, seconds, type Reply } from './helpers';

interface Lead {
	id: string;
	createdAt: string;
}

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await Sandbox.start();
});
afterEach(() => sandbox.stop());

async function ask(query: Record<string, string> | string = {}, path = '/applicant-leads') {
	const text = new URLSearchParams(query).toString();
	const headers = await bearer(sandbox, sandbox.leadsClient);
	return request(`${sandbox.leadsUrl}${path}${text && `?${text}`}`, { headers });
}

function ids(reply: Reply): string[] {
	expect(reply.status).toBe(200);
	return body<{ applicants: Lead[] }>(reply).applicants.map((lead) => lead.id);
}

function code(reply: Reply): [number, unknown] {
	const { errors } = body<{ errors: { message: string; code: unknown; links: unknown[] }[] }>(
		reply,
	);
	expect(errors[0]).toEqual({
		message: expect.any(String),
		code: expect.anything(),
		links: [],
	});
	return [reply.status, errors[0]?.code];
}

/** A time in whole seconds, as the window has them. */
function secondsAgo(ms: number): number {
	return Math.floor((sandbox.now() - ms) / 1000) * 1000;
}

const window = (from: number, to: number) => ({
	'from-time': seconds(from),
	'to-time': seconds(to),
});

describe('the window', () => {
	it('is the last 24 hours when no times are given', async () => {
		const inside = sandbox.addLead('applicant', { createdAt: seconds(secondsAgo(DAY - MINUTE)) });
		sandbox.addLead('applicant', { createdAt: seconds(secondsAgo(DAY + MINUTE)) });

		expect(ids(await ask())).toEqual([inside.id]);
	});

	it('is inclusive at both ends', async () => {
		const at = secondsAgo(HOUR);
		const created = (ms: number) => sandbox.addLead('applicant', { createdAt: seconds(ms) }).id;
		created(at - 1000);
		const inside = [created(at), created(at + 5000), created(at + 10_000)];
		created(at + 11_000);

		expect(ids(await ask(window(at, at + 10_000))).sort()).toEqual([...inside].sort());
		expect(ids(await ask(window(at, at)))).toEqual([inside[0]]);
	});

	it('shows nothing older than 30 days, however it is asked for', async () => {
		const created = seconds(secondsAgo(30 * DAY - MINUTE));
		const kept = sandbox.addLead('applicant', { createdAt: created });
		sandbox.addLead('applicant', { createdAt: seconds(secondsAgo(30 * DAY + MINUTE)) });
		const all = window(secondsAgo(60 * DAY), secondsAgo(0));

		expect(ids(await ask(all))).toEqual([kept.id]);

		sandbox.advance(2 * MINUTE);
		expect(ids(await ask(all))).toEqual([]);
	});

	it('needs both times', async () => {
		expect(code(await ask({ 'from-time': seconds(secondsAgo(HOUR)) }))).toEqual([
			400,
			'missing_time',
		]);
		expect(code(await ask({ 'to-time': seconds(secondsAgo(HOUR)) }))).toEqual([
			400,
			'missing_time',
		]);
	});

	it.each([
		'2024-01-01',
		'2024-01-01T00:00Z',
		'2024-01-01T00:00:00.000Z',
		'2024-01-01T00:00:00+00:00',
		'2024-01-01T00:00:00',
		'2024-02-30T00:00:00Z',
		'2024-01-01T25:00:00Z',
		'1704067200',
		'',
	])('needs its own format, not %s', async (time) => {
		const right = '2024-01-01T00:00:00Z';
		const wrongFrom = await ask({ 'from-time': time, 'to-time': right });

		const wrongTo = await ask({ 'from-time': right, 'to-time': time });

		expect([code(wrongFrom), code(wrongTo)]).toEqual([
			[400, 'invalid_time'],
			[400, 'invalid_time'],
		]);
	});

	it('runs forwards', async () => {
		const reversed = window(secondsAgo(0), secondsAgo(HOUR));

		expect(code(await ask(reversed))).toEqual([400, 'invalid_time_range']);
	});

	it('takes each parameter once, and no others', async () => {
		const { 'from-time': from, 'to-time': to } = window(secondsAgo(HOUR), secondsAgo(0));

		const repeated = await ask(`from-time=${from}&from-time=${from}&to-time=${to}`);

		expect(code(repeated)).toEqual([400, 'repeated_parameter']);
		expect(code(await ask({ limit: '10' }))).toEqual([400, 'unknown_parameter']);
	});
});

describe('a lead', () => {
	it('without a usable time lies where it was received', async () => {
		const future = seconds(secondsAgo(-2 * DAY));

		for (const createdAt of ['0001-01-01T00:00Z', future, null, 'soon']) {
			sandbox.clearLeads();
			const lead = sandbox.addLead('applicant', { createdAt }, { isOdd: true });
			expect(lead.createdAt).toBe(createdAt);
			const received = secondsAgo(0);
			expect(ids(await ask())).toEqual([lead.id]);
			expect(ids(await ask(window(received - MINUTE, received)))).toEqual([lead.id]);
			expect(ids(await ask(window(received - HOUR, received - MINUTE)))).toEqual([]);
		}
	});

	it('may have its time in minutes', async () => {
		const at = Math.floor(secondsAgo(HOUR) / MINUTE) * MINUTE;
		const createdAt = `${new Date(at).toISOString().slice(0, 16)}Z`;
		const lead = sandbox.addLead('applicant', { createdAt });

		expect(ids(await ask(window(at, at)))).toEqual([lead.id]);
	});

	it('that is received later appears later, at its old time', async () => {
		const at = secondsAgo(HOUR);
		const receivedAt = sandbox.now() + 10 * MINUTE;
		const lead = sandbox.addLead('applicant', { createdAt: seconds(at) }, { receivedAt });

		expect(ids(await ask(window(at, at)))).toEqual([]);

		sandbox.advance(10 * MINUTE);
		expect(ids(await ask(window(at, at)))).toEqual([lead.id]);
	});

	it('has all fields of an applicant', () => {
		const lead = sandbox.addLead('applicant');

		expect(Object.keys(lead).sort()).toEqual(
			[
				...COMMON,
				...'consumerPostcode consumerSituation organiseViewing requestPropertyDetails viewingTimes searchCriteria listingDetails'.split(
					' ',
				),
			].sort(),
		);
		expect(Object.keys(lead.listingDetails).sort()).toEqual(
			'id url sourceId propertyId uprn bedrooms bathrooms receptions lifeCycleStatus propertyType images address pricing'
				.split(' ')
				.sort(),
		);
	});

	it('has all fields of an appraisal', () => {
		const lead = sandbox.addLead('appraisal');

		expect(Object.keys(lead).sort()).toEqual(
			[...COMMON, 'urgency', 'justCurious', 'propertyDetails'].sort(),
		);
		expect(Object.keys(lead.propertyDetails).sort()).toEqual(
			'propertyId uprn bedrooms bathrooms receptions floorArea tenure propertyType lastSalePrice latitude longitude address estimate energy'
				.split(' ')
				.sort(),
		);
	});

	it('is invented: reserved mail addresses and telephone numbers', () => {
		for (const { contact } of sandbox.addLeads('applicant', 50)) {
			expect(contact.email).toMatch(/@example\.com$/);
			expect(contact.phoneNumber).toMatch(/^07700 900\d{3}$/);
		}
	});

	it('takes overrides, deeply', async () => {
		const overrides = { contact: { email: 'x@example.com' }, newField: { a: 1 } };
		const lead = sandbox.addLead('applicant', overrides, { isOdd: true });

		const [served] = body<{ applicants: unknown[] }>(await ask()).applicants;

		expect(served).toEqual(lead);
		expect(served).toMatchObject({
			contact: { email: 'x@example.com', firstName: lead.contact.firstName },
			newField: { a: 1 },
		});
	});

	it('is of one kind', async () => {
		const appraisal = sandbox.addLead('appraisal');

		expect(ids(await ask())).toEqual([]);
		expect(body(await ask({}, '/appraisal-leads'))).toEqual({ appraisals: [appraisal] });
	});
});

const COMMON =
	'id createdAt contact enquiryType intent message propertyUse isOverseas portalLeadId portalBranchId portalCompanyId portalGroupId sourceBranchId recipientEmail leadSource portalSource'.split(
		' ',
	);

describe('many leads', () => {
	it('come in no order, the same each time', async () => {
		sandbox.addLeads('applicant', 200, { from: sandbox.now() - HOUR });
		const first = body<{ applicants: Lead[] }>(await ask()).applicants;
		const times = first.map((lead) => Date.parse(lead.createdAt));

		const sorted = [...times].sort((one, other) => one - other);

		expect(times).not.toEqual(sorted);
		expect(times).not.toEqual(sorted.reverse());
		expect(body<{ applicants: Lead[] }>(await ask()).applicants).toEqual(first);
	});

	it('lie within their bounds, with seconds or minutes, and are the same for a seed', async () => {
		const [from, to] = [secondsAgo(10 * DAY) + 30_000, secondsAgo(HOUR)];
		const made = sandbox.addLeads('applicant', 500, { from, to });

		const twin = await Sandbox.start();

		expect(twin.addLeads('applicant', 500, { from, to })).toEqual(made);

		await twin.stop();

		for (const { createdAt } of made) {
			expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(from);
			expect(Date.parse(createdAt)).toBeLessThanOrEqual(to);
		}

		const inMinutes = made.filter(({ createdAt }) => createdAt.length === 17);

		expect(inMinutes.length).toBeGreaterThan(20);
		expect(new Set(made.map((lead) => lead.id)).size).toBe(500);
		expect(ids(await ask(window(from, to))).sort()).toEqual(made.map((lead) => lead.id).sort());
	});

	it('are answered whole when they are streamed', async () => {
		const made = sandbox.addLeads('applicant', 2501, { from: sandbox.now() - HOUR });

		const reply = await ask();

		expect(reply.headers.get('content-length')).toBeNull();
		expect(ids(reply).sort()).toEqual(made.map((lead) => lead.id).sort());
	});

	it('that are to come appear as the clock moves', async () => {
		sandbox.addLeads('applicant', 10, { from: sandbox.now() + HOUR, to: sandbox.now() + 2 * HOUR });

		expect(ids(await ask())).toHaveLength(0);

		sandbox.advance(2 * HOUR);
		expect(ids(await ask())).toHaveLength(10);
	});
});

describe('a filter', () => {
	it('is compulsory once more than one id is configured, whatever the levels', async () => {
		expect((await ask()).status).toBe(200);

		sandbox.updateClient('leads-client', { branches: ['b1'] });
		expect((await ask()).status).toBe(200);

		sandbox.updateClient('leads-client', { brands: ['r1'] });
		expect(code(await ask())).toEqual([400, 'filter_required']);
		expect((await ask({ 'brand-id': 'r1' })).status).toBe(200);
	});

	it.each([
		['branch-id', 'branches', 'branchId'],
		['brand-id', 'brands', 'brandId'],
		['company-id', 'companies', 'companyId'],
		['group-id', 'groups', 'groupId'],
	])('by %s shows the leads of that id', async (parameter, list, owner) => {
		sandbox.updateClient('leads-client', { [list]: ['one', 'two'] });
		const mine = sandbox.addLead('applicant', {}, { [owner]: 'one' });
		sandbox.addLead('applicant', {}, { [owner]: 'two' });
		sandbox.addLead('applicant');

		expect(ids(await ask({ [parameter]: 'one' }))).toEqual([mine.id]);
	});

	it('is exactly one id of one level', async () => {
		sandbox.updateClient('leads-client', { branches: ['b1', 'b2'], brands: ['r1'] });

		expect(code(await ask({ 'branch-id': 'b1', 'brand-id': 'r1' }))).toEqual([
			400,
			'too_many_filters',
		]);
		expect(code(await ask('branch-id=b1&branch-id=b2'))).toEqual([400, 'repeated_parameter']);
		for (const wrong of ['b1,b2', 'b9', '', 'r1']) {
			expect(code(await ask({ 'branch-id': wrong }))).toEqual([400, 'unknown_branchId']);
		}
	});

	it('is not needed with a single id, which then hides what is another’s', async () => {
		sandbox.updateClient('leads-client', { branches: ['b1'] });
		const mine = sandbox.addLead('applicant', {}, { branchId: 'b1' });
		sandbox.addLead('applicant', {}, { branchId: 'b2' });

		expect(ids(await ask())).toEqual([mine.id]);
	});
});

describe('the rest', () => {
	it('knows two paths and one method', async () => {
		const headers = await bearer(sandbox, sandbox.leadsClient);

		expect(code(await ask({}, '/leads'))[0]).toBe(404);

		const url = `${sandbox.leadsUrl}/applicant-leads`;
		expect((await request(url, { method: 'POST', headers })).status).toBe(405);
	});

	it('dates its answers by its own clock', async () => {
		sandbox.advance(3 * DAY);
		const reply = await ask();

		const late = Date.parse(reply.headers.get('date') ?? '') - Date.now();

		expect(Math.abs(late - 3 * DAY)).toBeLessThan(10_000);
	});

	it('can name the parameters otherwise', async () => {
		const other = await Sandbox.start({ leadParameters: { fromTime: 'since', toTime: 'until' } });
		const headers = await bearer(other, other.leadsClient);
		const asked = (query: string) =>
			request(`${other.leadsUrl}/applicant-leads?${query}`, { headers });
		const [from, to] = [seconds(other.now() - HOUR), seconds(other.now())];

		expect((await asked(`since=${from}&until=${to}`)).status).toBe(200);
		expect((await asked(`from-time=${from}&to-time=${to}`)).status).toBe(400);

		await other.stop();
	});
});
