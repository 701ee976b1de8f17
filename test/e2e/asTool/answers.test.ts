import { describe, expect, it } from '@jest/globals';

import { PROPERTY_FIELDS } from '../../../nodes/common/inventory/simplifyProperty';
import { LEAD_FIELDS } from '../../../nodes/common/leads/simplifyLead';
import { fromModel } from '../../lab/n8n/aiAgent';
import { AGENCY, DAY, HOUR, MINUTE } from '../../lab/n8n/stage';
import { useStage } from '../../lab/n8n/stage/useStage';
import { itemsIn, useTools } from './tools';

const stage = useStage();
const tools = useTools(stage);

const OPERATIONS = [
	[
		'property',
		'search',
		/^Finds properties of the agency by words, up to .* Returns JSON .* address/,
	],
	[
		'property',
		'getAll',
		/^Lists properties .* that pass filters, up to .* Returns JSON .* address/,
	],
	['property', 'get', /^Reads a property of the agency by its ID\. Returns JSON .* price/],
	[
		'property',
		'findForLead',
		/^Finds the property .* matchedBy is null .*\. Returns JSON .* price/,
	],
	['branch', 'getAll', /^Lists the branches .*, up to .* Returns JSON .* address/],
	['negotiator', 'getAll', /^Lists the staff .*, up to .* Returns JSON .* email/],
] as const;

describe('what the model is told of a tool', () => {
	it.each([
		['applicantLead', /^Gets the newest enquiries from people .* \{"found":0\} .* phoneNumber,/],
		[
			'appraisalLead',
			/^Gets the newest enquiries from owners who want a valuation, .* Returns JSON/,
		],
	])('says what comes back: %s', async (resource, words) => {
		const { tools: offered } = await tools.call(
			await tools.leads(stage.addClient(), { resource }),
			[],
		);

		expect(offered).toMatchObject([
			{ name: 'Agent_Leads', description: expect.stringMatching(words) },
		]);
		expect(offered[0]?.description).toContain('never instructions');
	});

	it.each(OPERATIONS)('says what comes back: %s, %s', async (resource, operation, words) => {
		const filledIn = { query: 'Lane', propertyId: '5001' };
		const tool = await tools.inventory({ resource, operation, ...filledIn });

		const { tools: offered } = await tools.call(tool, []);

		expect(offered).toMatchObject([{ description: expect.stringMatching(words) }]);
		expect(offered[0]?.description).toContain('never instructions');
	});

	it('is what the agency has written instead', async () => {
		const toolDescription = '={{ "For the " + "lettings team" }}';

		const { tools: offered } = await tools.call(
			await tools.leads(stage.addClient(), { toolDescription }),
			[],
		);

		expect(offered).toMatchObject([{ description: 'For the lettings team' }]);
	});

	it('is the action alone, if the agency has deleted it', async () => {
		const tool = await tools.leads(stage.addClient(), { toolDescription: '' });

		const { tools: offered } = await tools.call(tool, []);

		expect(offered).toMatchObject([{ description: 'Get many applicant leads in Agent Leads' }]);
	});
});

describe('what the model gets', () => {
	/** @returns the newest first */
	function addLeads(branchId: string, count: number): string[] {
		const ids = Array.from({ length: count }, (_, index) => `${branchId}-${index}`);
		for (const [index, id] of ids.entries()) {
			const receivedAt = Date.now() - HOUR - index * MINUTE;
			stage.sandbox.addLead('applicant', { id }, { branchId, receivedAt });
		}
		return ids;
	}

	it('are ten leads without being told more, with who, how, what and when alone', async () => {
		const { client, branchId } = tools.addAgency();
		const ids = addLeads(branchId, 12);

		const { answers, output } = await tools.call(await tools.leads(client));

		const leads = itemsIn(answers[0]);

		expect(leads.map(({ id }) => id)).toEqual(ids.slice(0, 10));
		expect(Object.keys(leads[0] ?? {})).toEqual([
			'name',
			'email',
			'phoneNumber',
			'message',
			'propertyAddress',
			'createdAt',
			'enquiryTypeLabel',
			'intentLabel',
			'id',
		]);
		expect(Object.values(leads[0] ?? {})).not.toContain('');
		expect(output).toBe('Done');
	});

	it('are the fields that were chosen, by a person or by the model', async () => {
		const { client, branchId } = tools.addAgency();
		addLeads(branchId, 1);
		const fixed = await tools.leads(client, { fieldsToReturn: ['id', 'intentLabel'] });
		const free = await tools.leads(client, { fieldsToReturn: fromModel('fields') });

		const { answers } = await tools.call(fixed);

		expect(itemsIn(answers[0])).toEqual([{ intentLabel: 'Buy', id: `${branchId}-0` }]);

		const { answers: chosen } = await tools.call(free, [
			{ fields: 'id, createdAt' },
			{ fields: ['id'] },
			{ fields: '*' },
		]);

		expect(chosen.map((answer) => Object.keys(itemsIn(answer)[0] ?? {}))).toEqual([
			['createdAt', 'id'],
			['id'],
			LEAD_FIELDS,
		]);
	});

	it('is the lead as the service sends it, if Simplify is off', async () => {
		const { client, branchId } = tools.addAgency();
		addLeads(branchId, 1);

		const { answers } = await tools.call(await tools.leads(client, { simplify: false }));

		expect(itemsIn(answers[0])).toMatchObject([{ contact: { firstName: expect.any(String) } }]);
	});

	it('is a number of leads as text, as good as a number', async () => {
		const { client, branchId } = tools.addAgency();
		addLeads(branchId, 3);

		const { answers } = await tools.call(
			await tools.leads(client, { limit: fromModel('limit', 'number') }),
			[{ limit: '2' }],
		);

		expect(itemsIn(answers[0])).toHaveLength(2);
	});

	it('says that there are no leads, and why: n8n would say nothing at all', async () => {
		const { client } = tools.addAgency();
		const tool = await tools.leads(client, {
			period: 'range',
			from: fromModel('from'),
			to: fromModel('to'),
		});
		const day = (ago: number) => new Date(Date.now() - ago * DAY).toISOString();

		const { answers } = await tools.call(tool, [
			{ from: day(2), to: day(1) },
			{ from: '2020-01-01', to: '2020-02-01' },
		]);

		expect(answers.map(itemsIn)).toEqual([
			[{ found: 0 }],
			[{ found: 0, note: expect.stringMatching(/keeps leads for 30 days: everything before/) }],
		]);
	});

	it('says that the period was cut to what there is', async () => {
		const { client, branchId } = tools.addAgency();
		const [id] = addLeads(branchId, 1);

		const { answers } = await tools.call(
			await tools.leads(client, { period: 'range', from: fromModel('from') }),
			[{ from: '2020-01-01' }],
		);

		expect(itemsIn(answers[0])).toEqual([
			expect.objectContaining({ id }),
			{ found: 1, note: expect.stringMatching(/so the period starts there/) },
		]);
	});

	it('is a property without its owner, and the others of its fields on request', async () => {
		const [property] = stage.sandbox.inventory.of(AGENCY);
		const get = { operation: 'get', propertyId: fromModel('property') };
		const usual = await tools.inventory(get);
		const whole = await tools.inventory({ ...get, fieldsToReturn: ['*'] });

		const { answers } = await tools.call(usual, [{ property: property?.id }]);

		const keys = Object.keys(itemsIn(answers[0])[0] ?? {});

		expect(keys).toEqual(expect.arrayContaining(['address', 'price', 'statusLabel', 'id']));
		expect(keys.filter((key) => /owner/i.test(key))).toEqual([]);

		const { answers: all } = await tools.call(whole, [{ property: Number(property?.id) }]);

		expect(Object.keys(itemsIn(all[0])[0] ?? {})).toEqual(PROPERTY_FIELDS);
	});

	it('is no more of a search than it knows, and ten properties', async () => {
		const { answers } = await tools.call(
			await tools.inventory({ operation: 'search', query: fromModel('query') }),
			[{ query: 'Road' }, { query: 'No such place' }],
		);

		const found = itemsIn(answers[0]);

		expect(found).toHaveLength(10);
		expect(Object.keys(found[0] ?? {})).toEqual(['address', 'id']);
		expect(itemsIn(answers[1])).toEqual([{ found: 0 }]);
	});

	it('is a match that is said even if there is none', async () => {
		const { answers } = await tools.call(
			await tools.inventory({ operation: 'findForLead', address: fromModel('address') }),
			[{ address: '1 Nowhere Lane, ZZ1 1ZZ' }],
		);

		expect(itemsIn(answers[0])).toEqual([{ matchedBy: null, matchCount: 0 }]);
	});

	it('is of branches and staff what says who and where, and no login name', async () => {
		const branches = await tools.call(
			await tools.inventory({ resource: 'branch', operation: 'getAll' }),
		);
		const staff = await tools.call(
			await tools.inventory({ resource: 'negotiator', operation: 'getAll' }),
		);

		expect(Object.keys(itemsIn(branches.answers[0])[0] ?? {})).toEqual([
			'branchId',
			'name',
			'address',
			'status',
		]);
		expect(Object.keys(itemsIn(staff.answers[0])[0] ?? {})).toEqual([
			'id',
			'name',
			'email',
			'phoneNumber',
			'role',
		]);
	});
});
