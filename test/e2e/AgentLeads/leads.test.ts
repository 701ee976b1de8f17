import { beforeAll, describe, expect, it } from '@jest/globals';
import type { INode } from 'n8n-workflow';

import {
	agentLeads,
	APPLICANTS_PATH,
	APPRAISALS_PATH,
	DAY,
	errorText,
	HOUR,
	MINUTE,
	NODE,
	SECOND,
	type Client,
} from '../../lab/n8n/stage';
import { useStage } from '../../lab/n8n/stage/useStage';
import { Agencies, ids, inSeconds } from './agencies';

const stage = useStage();

const agencies = new Agencies(stage);

/** A time of some days ago that is the same on every clock but for its hour. */
function noonDaysAgo(days: number): number {
	return Math.floor(Date.now() / DAY) * DAY - days * DAY + 12 * HOUR;
}

describe('filters', () => {
	const BRANCHES = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7'];

	it('several ids: one request each, four at once at most, merged, each lead once', async () => {
		const client = stage.addClient({ branches: [...BRANCHES, 'not asked for'] });
		const now = Date.now();
		BRANCHES.forEach((branchId, index) =>
			agencies.addLead({ branchId }, `of ${branchId}`, now - (index + 1) * MINUTE),
		);
		for (const branchId of ['u1', 'u7']) agencies.addLead({ branchId }, 'of both', now - HOUR);
		agencies.addLead({ branchId: 'not asked for' }, 'of another', now - MINUTE);
		// Long enough for those that go out together to meet at the service.
		const { clientId } = client;
		const slow = { kind: 'latency', ms: 300, path: APPLICANTS_PATH, clientId } as const;
		stage.sandbox.faults.add({ ...slow, times: Infinity });

		const execution = await agencies.execute(
			{ client },
			{ filterBy: 'branch', filterId: ` ${BRANCHES.join(' , ')},u1` },
		);

		expect(ids(execution)).toEqual([...BRANCHES.map((id) => `of ${id}`), 'of both']);

		const queries = stage.leadsRequests(client).map(({ query }) => query);

		expect(queries).toHaveLength(BRANCHES.length);
		expect(queries).toEqual(expect.arrayContaining(BRANCHES.map((id) => ({ 'branch-id': [id] }))));
		expect(stage.tokenRequests(client)).toHaveLength(1);
		expect(stage.sandbox.counts.maxInFlight[APPLICANTS_PATH]).toBe(4);
	});

	it('several ids over several days: one request for each day and id', async () => {
		const client = stage.addClient({ branches: ['v1', 'v2', 'v3'] });
		const to = noonDaysAgo(1);

		const execution = await agencies.execute(
			{ client },
			{
				filterBy: 'branch',
				filterId: 'v1,v2',
				period: 'range',
				from: inSeconds(to - 2 * DAY),
				to: inSeconds(to),
			},
		);

		expect(ids(execution)).toEqual([]);

		const asked = stage.leadsRequests(client).map((request) => request.query['branch-id']?.[0]);

		expect(asked.sort()).toEqual(['v1', 'v1', 'v2', 'v2']);
	});

	it.each([
		['brand', 'brands', 'brand-id'],
		['company', 'companies', 'company-id'],
		['group', 'groups', 'group-id'],
	])('by %s', async (filterBy, level, parameter) => {
		const client = stage.addClient({ [level]: ['one', 'two'] });
		const owner = { branchId: 'elsewhere', [`${filterBy}Id`]: 'two' };
		agencies.addLead(owner, `of the ${filterBy}`, Date.now() - MINUTE);

		const execution = await agencies.execute({ client }, { filterBy, filterId: 'two' });

		expect(ids(execution)).toEqual([`of the ${filterBy}`]);
		expect(stage.leadsRequests(client)[0]?.query).toEqual({ [parameter]: ['two'] });
	});
});

describe('the leads', () => {
	const MANY = 60;
	const many = { client: undefined as Client | undefined, newestFirst: [] as string[] };

	beforeAll(() => {
		const here = agencies.add();
		const now = Date.now();
		many.client = here.client;
		many.newestFirst = Array.from({ length: MANY }, (_, index) => `lead ${index}`);
		// Stored in another order than the one expected.
		[...many.newestFirst.entries()]
			.sort(([one], [other]) => (one % 7) - (other % 7))
			.forEach(([index, id]) => agencies.addLead(here, id, now - (index + 1) * 20 * MINUTE));
	});

	async function idsOfMany(parameters: INode['parameters']): Promise<unknown[]> {
		if (!many.client) throw new Error('no client');
		return ids(await agencies.execute({ client: many.client }, parameters));
	}

	it('50 unless said otherwise, newest first', async () => {
		expect(await idsOfMany({ returnAll: false })).toEqual(many.newestFirst.slice(0, 50));
	});

	it('Limit: the newest', async () => {
		expect(await idsOfMany({ returnAll: false, limit: 3 })).toEqual(many.newestFirst.slice(0, 3));
	});

	it('Limit over a window of days: still the newest', async () => {
		const days = { period: 'recent', recentAmount: 5, recentUnit: 'days' };

		expect(await idsOfMany({ ...days, returnAll: false, limit: 55 })).toEqual(
			many.newestFirst.slice(0, 55),
		);
	});

	it('Return All', async () => {
		expect(await idsOfMany({ returnAll: true })).toEqual(many.newestFirst);
	});

	it('times in minutes are sorted among those in seconds, leads without one come last', async () => {
		const here = agencies.add();
		const minute = Math.floor(Date.now() / MINUTE) * MINUTE - HOUR;
		agencies.addLead(here, 'unset', minute, { createdAt: '0001-01-01T00:00Z' });
		agencies.addLead(here, 'a second before', minute - SECOND);
		agencies.addLead(here, 'on the minute', minute, {
			createdAt: new Date(minute).toISOString().slice(0, 16) + 'Z',
		});
		agencies.addLead(here, 'a second after', minute + SECOND);

		expect(ids(await agencies.execute(here, {}))).toEqual([
			'a second after',
			'on the minute',
			'a second before',
			'unset',
		]);
	});

	/** What an operator might add one day. */
	const UNKNOWN = { enquiryType: 'ENQUIRY_TYPE_AUCTION', novelty: { deep: [1, 'two'] }, score: 7 };

	it('Simplify off: applicants as the service sent them, the unknown included', async () => {
		const here = agencies.add();
		const lead = agencies.addLead(here, 'raw', Date.now() - MINUTE, UNKNOWN);

		const execution = await agencies.execute(here, { simplify: false });

		expect(execution.json(NODE)).toEqual([{ leadType: 'applicant', ...lead }]);
		expect(execution.json(NODE)).toMatchObject([UNKNOWN]);
	});

	it('Simplify on: flat columns, unknown values included', async () => {
		const here = agencies.add();
		const lead = agencies.addLead(here, 'simple', Date.now() - MINUTE, {
			...UNKNOWN,
			message: '<p>Is it &pound;300k?</p>',
		});

		const [item] = (await agencies.execute(here, {})).json(NODE);

		const { firstName, lastName, email, phoneNumber } = lead.contact;

		expect(item).toMatchObject({
			leadType: 'applicant',
			id: 'simple',
			createdAt: lead.createdAt,
			enquiryType: UNKNOWN.enquiryType,
			firstName,
			lastName,
			email,
			phoneNumber,
			message: 'Is it £300k?',
		});
		expectFlat(item);
		expect(Object.values(item ?? {})).toContain(lead.listingDetails.url);
	});

	it('Appraisal leads come from their own path, raw and simple', async () => {
		const here = agencies.add();
		const lead = stage.sandbox.addLead('appraisal', UNKNOWN, {
			branchId: here.branchId,
			isOdd: true,
		});
		agencies.addLead(here, 'an applicant', Date.now() - MINUTE);
		const resource = 'appraisalLead';

		const raw = await agencies.execute(here, { resource, simplify: false });

		const simple = await agencies.execute(here, { resource });

		expect(raw.json(NODE)).toEqual([{ leadType: 'appraisal', ...lead }]);

		const [item] = simple.json(NODE);

		expect(simple.json(NODE)).toHaveLength(1);
		expect(item).toMatchObject({
			leadType: 'appraisal',
			id: lead.id,
			lastName: lead.contact.lastName,
			urgency: lead.urgency,
		});
		expectFlat(item);
		expect(stage.leadsRequests(here.client).map(({ path }) => path)).toEqual([
			APPRAISALS_PATH,
			APPRAISALS_PATH,
		]);
	});

	function expectFlat(item: object | undefined): void {
		const values: unknown[] = Object.values(item ?? {});
		expect(values.filter((value) => typeof value === 'object' && value !== null)).toEqual([]);
		expect(Object.keys(item ?? {}).slice(0, 3)).toEqual(['name', 'email', 'phoneNumber']);
	}

	it('every lead is paired with the item that asked for it', async () => {
		const client = stage.addClient({ branches: ['p1', 'p2'] });
		const now = Date.now();
		agencies.addLead({ branchId: 'p1' }, 'first', now - MINUTE);
		agencies.addLead({ branchId: 'p2' }, 'second', now - 2 * MINUTE);
		const splitOut = {
			name: 'Split Out',
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'body.ids', options: { destinationFieldName: 'id' } },
		};
		const node = agentLeads(await stage.saveCredential(client), {
			filterBy: 'branch',
			filterId: '={{ $json.id }}',
		});
		const workflow = await stage.webhookWorkflow([splitOut, node]);

		const execution = await stage.execute(workflow, { ids: ['p2', 'p1'] });

		expect(ids(execution)).toEqual(['second', 'first']);
		expect(execution.items(NODE)).toMatchObject([
			{ pairedItem: { item: 0 } },
			{ pairedItem: { item: 1 } },
		]);
	});
});

describe('bad input', () => {
	const range = (from: string, to: string) => ({ period: 'range', from, to });
	const recent = (recentAmount: unknown) => ({
		period: 'recent',
		recentAmount,
		recentUnit: 'days',
	});

	it.each<[string, string, Record<string, unknown>]>([
		['a stray comma', 'Filter IDs', { filterBy: 'branch', filterId: 'b1,,b2' }],
		['a comma at the end', 'Filter IDs', { filterBy: 'branch', filterId: 'b1, ' }],
		['no id', 'Filter IDs', { filterBy: 'group', filterId: "={{ '' }}" }],
		['an unknown filter', 'Filter By', { filterBy: "={{ 'town' }}", filterId: 'b1' }],
		['from after to', 'From', range('2026-06-02T00:00:00', '2026-06-01T00:00:00')],
		['from in the future', 'From', range('2999-01-01T00:00:00', '')],
		['from is no date', 'From', range("={{ 'yesterday' }}", '')],
		['no from', 'From', range("={{ '' }}", '')],
		['to is no date', 'To', range('2026-06-01T00:00:00', "={{ '31/12/2026' }}")],
		['a negative amount', 'Amount', recent(-3)],
		['an amount of zero', 'Amount', recent(0)],
		['half an amount', 'Amount', recent(1.5)],
		['an amount that is a word', 'Amount', recent("={{ 'many' }}")],
		['a limit of zero', 'Limit', { returnAll: false, limit: 0 }],
		['a negative limit', 'Limit', { returnAll: false, limit: -1 }],
		['no tries', 'Max Tries', { options: { maxTries: 0 } }],
		['a negative wait', 'Max Wait', { options: { maxWait: -1 } }],
		[
			'a query name that is none',
			'From Time Parameter Name',
			{ options: { fromTimeParameter: 'from&to' } },
		],
	])('%s is refused before any request, and “%s” is named', async (_, field, parameters) => {
		const { client } = agencies.add();

		const execution = await agencies.execute({ client }, parameters as INode['parameters']);

		expect(execution.status).toBe('error');
		expect(errorText(execution)).toContain(`“${field}”`);
		expect(execution.nodeError(NODE)).toMatchObject({ context: { itemIndex: 0 } });
		expect(stage.leadsRequests(client)).toEqual([]);
		expect(stage.tokenRequests(client)).toEqual([]);
	});
});
