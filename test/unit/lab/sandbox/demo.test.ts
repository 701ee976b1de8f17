import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Sandbox } from '../../../lab/sandbox';
import { BRANCHES, seedDemo } from '../../../lab/sandbox/demo';
import { AGENCY_REFS } from '../../../lab/sandbox/inventory';
import type { LeadKind } from '../../../lab/sandbox/leadBodies';
import { lastChangeOf } from '../../../lab/sandbox/propertyData';
import { DAY, HOUR, bearer, body, inventorySchema, request } from './helpers';

const SEEDS = Array.from({ length: 4 }, (_, index) => Math.floor(Date.now() / 1_000) + index);
/** How many of the newest people look at. */
const NEWEST = 5;
const isRecord = inventorySchema('Item');

let sandbox: Sandbox;

interface Lead {
	id: string;
	createdAt: string;
	enquiryType: string;
	intent: string;
	message: string;
	contact: Record<'firstName' | 'lastName' | 'email' | 'phoneNumber', string>;
	listingDetails: {
		sourceId: string;
		uprn: number;
		pricing: { price: number; transactionType: string; rentFrequency: string };
	};
	propertyDetails: { estimate: { value: number; lowerRange: number; upperRange: number } };
}

/** The newest leads as the service lists them. */
async function newest(kind: LeadKind, branch?: string): Promise<Lead[]> {
	const client = sandbox.clients.get(branch ? 'leads-branches-client' : 'leads-client');
	const filter = branch ? `?branch-id=${branch}` : '';
	const reply = await request(`${sandbox.leadsUrl}/${kind}-leads${filter}`, {
		headers: await bearer(sandbox, client),
	});
	const leads = body<Record<string, Lead[]>>(reply)[`${kind}s`] ?? [];
	return leads
		.sort((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt))
		.slice(0, NEWEST);
}

/** What people notice at once. */
function expectLifelike(lead: Lead, kind: LeadKind, now: number): void {
	const { contact, createdAt, enquiryType, message } = lead;
	const name = `${contact.firstName} ${contact.lastName}`;
	expect(name).toMatch(/^\p{L}+ \p{L}[\p{L}'-]+$/u);
	expect(contact.email).toMatch(/^[a-z]+\.[a-z]+@example\.com$/);
	expect(contact.phoneNumber).toMatch(/^07700 900\d{3}$/);
	expect(message.length).toBeGreaterThan(20);
	expect(Date.parse(createdAt)).toBeGreaterThan(now - DAY);
	expect(Date.parse(createdAt)).toBeLessThanOrEqual(now);
	expect(enquiryType).toMatch(/^ENQUIRY_TYPE_(SALES|LETTINGS)$/);
	const letting = enquiryType === 'ENQUIRY_TYPE_LETTINGS';
	expect(lead.intent).toMatch(letting ? /_UNSPECIFIED$/ : /_(BUY|SELL)$/);
	const [least, most] = letting ? [500, 3_000] : [100_000, 600_000];
	const { estimate } = lead.propertyDetails ?? {};
	const sum = kind === 'applicant' ? lead.listingDetails.pricing.price : estimate.value;
	expect(sum).toBeGreaterThanOrEqual(least);
	expect(sum).toBeLessThanOrEqual(most);
	if (kind === 'appraisal') {
		expect(estimate.lowerRange).toBeLessThanOrEqual(sum);
		expect(estimate.upperRange).toBeGreaterThanOrEqual(sum);
	}
}

describe.each(SEEDS)('what npm start shows, seed %i', (seed) => {
	beforeEach(async () => {
		sandbox = await Sandbox.start({ seed, contract: 'closed' });
		seedDemo(sandbox, seed);
	});
	afterEach(() => sandbox.stop());

	it('the newest leads look like life, of the agency and of each branch', async () => {
		for (const kind of ['applicant', 'appraisal'] satisfies LeadKind[]) {
			for (const branch of [undefined, ...BRANCHES]) {
				const leads = await newest(kind, branch);
				expect(leads).toHaveLength(NEWEST);
				for (const lead of leads) expectLifelike(lead, kind, sandbox.now());
			}
		}
	});

	it('a lead that is added looks like it too, and is for sale or to let as it is wanted', async () => {
		for (const kind of ['applicant', 'appraisal'] satisfies LeadKind[]) {
			for (const enquiryType of ['ENQUIRY_TYPE_SALES', 'ENQUIRY_TYPE_LETTINGS']) {
				const { id } = sandbox.addLead(kind, { enquiryType });
				const added = (await newest(kind)).find((lead) => lead.id === id);
				expect(added?.enquiryType).toBe(enquiryType);
				if (added) expectLifelike(added, kind, sandbox.now());
			}
			sandbox.advance(1_000);
			const { id } = sandbox.addLead(kind);
			expect((await newest(kind))[0]?.id).toBe(id);
		}
	});

	it('deeper down there is what is odd: a lead without its time', () => {
		const all = sandbox.leads.between('applicant', 0, sandbox.now());
		expect(all.filter(({ text }) => text.includes('0001-01-01T00:00Z'))).toHaveLength(1);
		expect(all.length).toBeGreaterThan(90);
	});

	it('applicants ask about properties of the inventory, at their prices', async () => {
		const properties = sandbox.inventory.of(AGENCY_REFS[0]);
		for (const { listingDetails } of await newest('applicant')) {
			// By its own ID: two properties may have one UPRN, such as one that was let and is for sale now.
			const found = properties.find(({ id }) => `REF-${id}` === listingDetails.sourceId);
			expect(found?.uprn).toBe(String(listingDetails.uprn));
			expect(found?.price).toBe(listingDetails.pricing.price);
		}
	});

	it('properties have changed in the last days, and those listed first are as in life', () => {
		for (const agency of AGENCY_REFS) {
			const properties = sandbox.inventory.of(agency);
			const times = properties.map(lastChangeOf);
			const changed = times.filter((time) => time > sandbox.now() - 3 * DAY);
			expect(changed.length).toBeGreaterThan(10);
			for (const property of properties) {
				expect(isRecord(property)).toBe(true);
				const modified = lastChangeOf(property);
				expect(modified).toBeGreaterThanOrEqual(Date.parse(property.createdDate));
				expect(modified).toBeLessThanOrEqual(sandbox.now() - HOUR + 1_000);
			}
			for (const { recordType, inventoryStatus } of properties.filter((each) => !each.archived)) {
				expect(inventoryStatus.startsWith('Let')).toBe(recordType === 'Rent');
			}
			for (const { archived, recordType, price } of properties.slice(0, 50)) {
				expect(archived).toBe(false);
				const [least, most] = recordType === 'Rent' ? [500, 3_000] : [100_000, 600_000];
				expect(price).toBeGreaterThanOrEqual(least);
				expect(price).toBeLessThanOrEqual(most);
			}
		}
	});
});
