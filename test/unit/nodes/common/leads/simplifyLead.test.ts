import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';

import { leadJson } from '../../../../../nodes/common/leads/simplifyLead';
import type { LeadType } from '../../../../../service/leads/leads';
import contract from '../../../../lab/contract/leads.json';
import { root } from '../../../../lab/paths';

const simplified = (lead: object, leadType: LeadType = 'applicant') =>
	leadJson({ ...lead }, leadType, true);

const COLUMNS = Object.keys(simplified({}));

describe('a simplified lead', () => {
	it('of a buyer has what an agency acts on', () => {
		const { applicant } = contract.components.examples.ApplicantPush.value;

		expect(simplified(applicant)).toEqual({
			name: 'Robin Ashdown',
			email: 'robin.ashdown@example.com',
			phoneNumber: '07700 900123',
			message: 'Is the garden shared?\nCould we see it this week?',
			propertyAddress: '12 Sample Row, Exampleton, AB1 2CD',
			enquiryType: 'Sales',
			leadType: 'applicant',
			createdAt: '2026-03-02T09:15:30Z',
			sourceBranchId: 'NORTH',
			intent: 'Buy',
			consumerSituation: 'First time buyer',
			urgency: null,
			organiseViewing: true,
			viewingTimesUk: 'Thu 5 Mar 2026, 10:00–12:30',
			price: 299_950.5,
			rentFrequency: null,
			estimatedValue: null,
			bedrooms: 2,
			listingUrl: 'https://portal.example.com/details/80000001',
			imageUrl: 'https://images.example.com/a/front.jpg',
			leadSource: 'Example website',
			consumerPostcode: 'AB1 2CD',
			firstName: 'Robin',
			lastName: 'Ashdown',
			phoneE164: '+447700900123',
			listingId: '80000001',
			listingReference: 'EX-1042',
			uprn: '990000000001',
			personKey: expect.stringMatching(/^p[\da-f]{31}$/),
			id: '5d0f6c1e-7a43-4f0a-9b1c-2e8d4a6b7c90',
		});
	});

	it('of an owner has the same columns, with the property and its estimate', () => {
		const { appraisal } = contract.components.examples.AppraisalPush.value;

		const lead = simplified({ ...appraisal, urgency: 'APPRAISAL_URGENCY_NOT_SURE' }, 'appraisal');

		expect(Object.keys(lead)).toEqual(COLUMNS);
		expect(lead).toMatchObject({
			name: 'Jo Merrow',
			propertyAddress: 'Flat 3, Sample House, Exampleton, Exampleshire, AB1 2CE',
			createdAt: '2026-03-02T18:40:00Z',
			intent: 'Sell',
			urgency: 'Not sure',
			organiseViewing: null,
			viewingTimesUk: null,
			price: null,
			estimatedValue: 210_000,
			bedrooms: 1,
			listingId: null,
			uprn: '990000000002',
		});
	});

	it('has the types of the output schema', () => {
		const file = 'nodes/AgentLeads/__schema__/v1.0.0/applicantLead/getAll.json';
		const schema = JSON.parse(readFileSync(join(root, file), 'utf8')) as object;
		const isAsSaid = new Ajv({ strict: false }).compile({ ...schema, version: undefined });
		const { ApplicantPush, AppraisalPush } = contract.components.examples;

		for (const lead of [ApplicantPush.value.applicant, AppraisalPush.value.appraisal]) {
			isAsSaid(simplified(lead));
			expect(isAsSaid.errors ?? []).toEqual([]);
		}
	});

	it('has at most 30 columns: docs/architecture.md says what to do if there are more', () => {
		expect(COLUMNS.length).toBeLessThanOrEqual(30);
	});

	it('has what people typed without HTML and without blanks around it, in each column alike', () => {
		const typed = (text: string) => ` \u00a0${text}\u200b\n`;
		const contact = {
			firstName: typed('Zo&euml;'),
			lastName: typed('O&#39;Hara'),
			email: typed('Ada@example.com'),
			phoneNumber: typed('07700&nbsp;900123'),
		};
		const address = {
			propertyNumberOrName: 12,
			streetName: typed('Mill &amp; Lane'),
			locality: ' ',
		};
		const lead = simplified({
			contact,
			consumerPostcode: typed('AB1 2CD'),
			sourceBranchId: 10234,
			listingDetails: {
				address,
				url: typed('https://a.example/?b=1&amp;c'),
				sourceId: typed('E-1'),
			},
		});

		expect(lead).toMatchObject({
			...{ name: "Zoë O'Hara", firstName: 'Zoë', lastName: "O'Hara", email: 'Ada@example.com' },
			...{ phoneNumber: '07700 900123', phoneE164: '+447700900123', consumerPostcode: 'AB1 2CD' },
			...{ propertyAddress: '12 Mill & Lane', listingUrl: 'https://a.example/?b=1&c' },
			...{ listingReference: 'E-1', sourceBranchId: '10234' },
			personKey: simplified({ contact: { email: 'ada@EXAMPLE.com' } }).personKey,
		});
		expect(simplified({ contact: { email: '\u200b ', firstName: '&nbsp;' } })).toMatchObject({
			...{ email: null, firstName: null, name: null, personKey: null },
		});
		expect(simplified({ contact: { phoneNumber: 447700900123 } })).toMatchObject({
			...{ phoneNumber: '447700900123', phoneE164: '+447700900123' },
		});
	});

	it.each([
		[[{ original: 'https://a.example/1.jpg' }, { original: 'https://a.example/2.jpg' }], '1.jpg'],
		[[{ cdnUrl: 'https://a.example/', filename: '3.jpg' }], '3.jpg'],
	])('has the first picture of the listing', (images, file) => {
		expect(simplified({ listingDetails: { images } }).imageUrl).toBe(`https://a.example/${file}`);
	});

	it.each([
		[{}, 'RENT_FREQUENCY_PER_WEEK', 'Per week'],
		[{ transactionType: 'TRANSACTION_TYPE_UNSPECIFIED' }, 'RENT_FREQUENCY_PER_MONTH', 'Per month'],
		[{ enquiryType: 'ENQUIRY_TYPE_LETTINGS' }, 'quarterly', 'quarterly'],
		[{ enquiryType: 'ENQUIRY_TYPE_LETTINGS' }, 'RENT_FREQUENCY_UNSPECIFIED', null],
		[{ enquiryType: 'ENQUIRY_TYPE_LETTINGS' }, undefined, null],
		[{ transactionType: 'TRANSACTION_TYPE_SALE' }, 'RENT_FREQUENCY_PER_MONTH', null],
		[{ enquiryType: 'ENQUIRY_TYPE_SALES' }, 'RENT_FREQUENCY_PER_MONTH', null],
	])('of %p says what period its rent is for: %p is %p', (kind, rentFrequency, label) => {
		const { enquiryType, transactionType }: Record<string, string> = kind;
		const pricing = { price: 1250, transactionType, rentFrequency };

		const lead = simplified({ enquiryType, listingDetails: { pricing } });

		expect(lead.rentFrequency).toBe(label);
	});

	it('of nobody about nothing has the columns, all empty', () => {
		const lead = simplified({ createdAt: '0001-01-01T00:00Z', contact: null, listingDetails: {} });

		expect(Object.keys(lead)).toEqual(COLUMNS);
		expect(Object.values(lead).filter((value) => value !== null)).toEqual(['applicant']);
	});
});
