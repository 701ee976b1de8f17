import { describe, expect, it } from '@jest/globals';

import { PROPERTY_FIELDS } from '../../../nodes/common/inventory/simplifyProperty';
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
