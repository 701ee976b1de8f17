import { describe, expect, it } from '@jest/globals';

import type { StoredWorkflow } from '../../lab/n8n';
import { AGENCY, HOUR, MINUTE } from '../../lab/n8n/stage';
import { arrival, useExamples } from '../../lab/n8n/stage/useExamples';
import { strings } from '../../lab/strings';

const examples = useExamples();
const { stage, receiver } = examples;

describe('new-leads-to-crm.json', () => {
	/** The leads that the CRM has taken, by the key that it tells repeats by. */
	function stored(): Map<unknown, unknown> {
		const taken = receiver.requests.filter(({ status }) => status === 200);
		return new Map(taken.map(({ headers, body }) => [headers['idempotency-key'], body.leadId]));
	}

	async function publish(): Promise<StoredWorkflow> {
		return await examples.publish('new-leads-to-crm.json', {
			'Send to CRM': { url: receiver.url },
		});
	}

	it('gives each lead to the CRM in a run of its own, even one that the CRM fails at first', async () => {
		const first = examples.addLead(
			'applicant',
			{
				contact: { firstName: 'Zoë', lastName: "O'Dunnsley", email: null },
				message: '<p>Is it\nstill there?</p>',
				sourceBranchId: 'NORTH',
				enquiryType: 'ENQUIRY_TYPE_LETTINGS',
			},
			HOUR,
		);
		const second = examples.addLead(
			'appraisal',
			{ enquiryType: 'ENQUIRY_TYPE_LETTINGS' },
			30 * MINUTE,
		);
		receiver.answer = ({ body: { leadId } }) =>
			leadId === first && receiver.requests.every(({ status }) => status === 200) ? 500 : 200;

		const workflow = await publish();
		await arrival('both leads', () => stored().size === 2);

		await examples.rest(workflow);

		expect(stored()).toEqual(
			new Map([
				[first, first],
				[second, second],
			]),
		);
		expect(receiver.requests.filter(({ status }) => status === 500)).toHaveLength(1);
		expect(receiver.taken().find(({ leadId }) => leadId === first)).toMatchObject({
			kind: 'Tenant',
			name: "Zoë O'Dunnsley",
			email: null,
			branch: 'NORTH',
			message: 'Is it\nstill there?',
		});
		expect(receiver.taken().find(({ leadId }) => leadId === second)?.kind).toBe(
			'Valuation for a letting',
		);

		const runs = await stage.n8n.executions(workflow);

		expect(runs.map((run) => run.json('Agent Leads Trigger').map(({ id }) => id))).toEqual(
			expect.arrayContaining([[first], [second]]),
		);
		expect(runs).toHaveLength(2);
	});
});

describe('route-by-branch.json', () => {
	it("sends each lead to its branch's CRM, and those of no branch that is entered to another", async () => {
		const url = (crm: string) => ({ url: `${receiver.url}/${crm}` });
		const workflow = await examples.publish('route-by-branch.json', {
			'Send to North': url('north'),
			'Send to South': url('south'),
			'Send Others': url('others'),
		});
		const add = (sourceBranchId: string | null) =>
			examples.addLead('applicant', { sourceBranchId });
		const expected = [
			['/north', add('NORTH')],
			['/others', add('QUAYSIDE')],
			['/others', add(null)],
			['/south', add('SOUTH')],
		];

		await arrival('four leads', () => receiver.requests.length >= 4);
		await examples.rest(workflow);

		const sent = receiver.requests.map(({ path, body }) => [path, body.id]);

		expect(sent.sort()).toEqual(expected.sort());
	});
});

describe('lead-with-property.json', () => {
	async function publish(): Promise<void> {
		await examples.publish('lead-with-property.json', { 'Send to Team': { url: receiver.url } });
	}

	/** The message about a lead; fails unless there is exactly one. */
	function messageAbout(lead: string): string {
		const texts = strings(receiver.taken().map(({ text }) => text));
		const [message, ...more] = texts.filter((text) => text.endsWith(`Lead ID: ${lead}`));
		if (message === undefined || more.length > 0) throw new Error(`not one message for ${lead}`);
		return message;
	}

	/** A property of the agency that is alone at its address, and whose number is part of no other in its street. */
	function property() {
		const all = stage.sandbox.inventory.of(AGENCY).filter(({ archived }) => !archived);
		const found = all.find(({ address: { nameNo, postcode } }) => {
			const same = all.filter(({ address }) => address.postcode === postcode);
			return (
				nameNo.length === 3 && same.filter(({ address }) => address.nameNo === nameNo).length === 1
			);
		});
		if (!found) throw new Error('no such property');
		return found;
	}

	function asking({
		nameNo,
		street,
		locality,
		town,
		postcode,
	}: ReturnType<typeof property>['address']) {
		const address = {
			propertyNumberOrName: nameNo,
			streetName: street,
			locality,
			townOrCity: town,
			postcode,
		};
		return { uprn: null, sourceId: null, address };
	}

	it('writes one message for each lead, with its property and by what it was found', async () => {
		await publish();
		const { id, uprn, address, negotiator } = property();
		const spelled = { ...address, postcode: address.postcode.replace(' ', '').toLowerCase() };
		const byAddress = examples.addLead('applicant', {
			listingDetails: asking(spelled),
			message: '<b>Nice</b> for <300k & <!everyone>',
		});
		const byUprn = examples.addLead('applicant', {
			listingDetails: { ...asking(address), uprn: Number(uprn) },
		});
		const byReference = examples.addLead('applicant', {
			listingDetails: {
				uprn: null,
				sourceId: id,
				address: {
					propertyNumberOrName: '',
					streetName: '',
					locality: '',
					townOrCity: '',
					postcode: address.postcode,
				},
			},
		});
		const nextDoor = examples.addLead('applicant', {
			listingDetails: asking({ ...address, nameNo: address.nameNo.slice(0, 2) }),
		});
		const homeless = examples.addLead('applicant', {
			listingDetails: { uprn: null, sourceId: null, address: null },
		});
		const bare = examples.addLead('applicant', { listingDetails: null, contact: null });
		examples.addLead('appraisal');

		await arrival('six messages', () => receiver.requests.length >= 6);

		expect(messageAbout(byAddress)).toContain('In your inventory, by address: ');
		expect(messageAbout(byUprn)).toContain('In your inventory, by UPRN: ');
		expect(messageAbout(byReference)).toContain('In your inventory, by your reference: ');
		for (const lead of [byAddress, byUprn, byReference]) {
			expect(messageAbout(lead)).toContain(negotiator.name);
			expect(messageAbout(lead)).toContain(`ID ${id}`);
		}
		expect(messageAbout(byAddress)).toContain(`Asks about: ${address.nameNo} ${address.street}, `);
		expect(messageAbout(byAddress)).toContain('Nice for ‹300k & ‹!everyone›');
		expect(messageAbout(nextDoor)).toContain('Your inventory has no property with the UPRN, ');
		for (const lead of [homeless, bare])
			expect(messageAbout(lead)).toContain('The lead names no property to look for');
		expect(receiver.requests).toHaveLength(6);
	});
});
