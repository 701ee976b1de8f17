import { beforeEach, describe, expect, it } from '@jest/globals';

import type { StoredWorkflow } from '../../lab/n8n';
import type { NodeParameters } from '../../lab/n8n/stage/nodes';
import { AGENCY, DAY } from '../../lab/n8n/stage';
import { assigned } from '../../lab/n8n/stage/examples';
import { arrival, useExamples } from '../../lab/n8n/stage/useExamples';
import { strings } from '../../lab/strings';

const examples = useExamples();
const { stage, mailServer } = examples;

const PROPERTY = {
	recordType: 'Sale',
	inventoryStatus: 'Available',
	price: 320_000,
	bedrooms: 3,
	displayAddress: 'Larkmoor Road, Littleford',
	address: { postcode: 'AB1 2CD' },
	uprn: '990000000123',
};

/** What somebody looks for whom the property fits once it is cheaper. */
const SEARCH = {
	location: { outcode: 'ab1' },
	minimumPrice: 200_000,
	maximumPrice: 300_000,
	minimumBedrooms: 2,
	maximumBedrooms: 3,
};

describe('price-drop-to-applicants.json', () => {
	const file = 'price-drop-to-applicants.json';

	beforeEach(() => {
		stage.sandbox.inventory.fill(AGENCY, 10);
	});

	/** The settings of the agency, with a list of its own of who must not be written to. */
	function agency(doNotWriteTo: string) {
		return assigned(file, 'Agency', { doNotWriteTo });
	}

	/** Published, with all properties known to the trigger. */
	async function publish(settings?: NodeParameters): Promise<StoredWorkflow> {
		const read = () =>
			stage.sandbox.requests.filter(
				({ path, status }) => path.endsWith('/inventory/items') && status === 200,
			).length;
		const before = read();
		const workflow = await examples.publish(file, settings && { Agency: settings });
		await arrival('the records of the properties', () => read() > before);
		return workflow;
	}

	/** What a person corrects and saves, without publishing it. */
	async function changeAgency({ id }: StoredWorkflow, settings: NodeParameters): Promise<void> {
		const stored = await stage.n8n.getWorkflow(id);
		const nodes = stored.nodes.map((node) =>
			node.name === 'Agency' ? { ...node, parameters: { ...node.parameters, ...settings } } : node,
		);
		await stage.n8n.updateWorkflow({ ...stored, nodes });
	}

	function addApplicant(email: string, overrides: object = {}, ago = DAY): void {
		const contact = { firstName: '<b>Buy</b> pills', email };
		const enquiry = { contact, enquiryType: 'ENQUIRY_TYPE_SALES', searchCriteria: SEARCH };
		examples.addLead('applicant', { ...enquiry, ...overrides }, ago);
	}

	function lower(id: string, price = 295_000): void {
		stage.sandbox.inventory.change(AGENCY, id, { price });
	}

	const recipients = () => strings(mailServer.mails.flatMap((mail) => mail.recipients)).sort();

	it('writes once to each applicant whom the property fits, with a postcode typed without its space', async () => {
		const address = { postcode: 'AB12CD' };
		const { id } = stage.sandbox.inventory.create(AGENCY, { ...PROPERTY, address });
		addApplicant('fits@example.com');
		addApplicant('Fits@example.com', {}, 2 * DAY);
		addApplicant('long-ago@example.com', {}, 29 * DAY);
		addApplicant('asked@example.com', {
			searchCriteria: null,
			listingDetails: { uprn: Number(PROPERTY.uprn) },
		});
		addApplicant('elsewhere@example.com', {
			searchCriteria: { ...SEARCH, location: { outcode: 'EF3' } },
		});
		addApplicant('poor@example.com', { searchCriteria: { ...SEARCH, maximumPrice: 290_000 } });
		addApplicant('small@example.com', { searchCriteria: { ...SEARCH, maximumBedrooms: 2 } });
		addApplicant('tenant@example.com', { enquiryType: 'ENQUIRY_TYPE_LETTINGS' });
		addApplicant('nobody@example.com');
		addApplicant('not an address, all@example.com');
		addApplicant('bare@example.com', { searchCriteria: null, listingDetails: null });
		const workflow = await publish();

		lower(id);
		await examples.mails(3, workflow);

		expect(recipients()).toEqual(['asked@example.com', 'fits@example.com', 'long-ago@example.com']);
		for (const mail of mailServer.mails) {
			expect(mail).toMatchObject({
				subject: 'Lower price: Larkmoor Road, Littleford',
				html: false,
				replyTo: { text: 'office@example.com' },
			});
			expect(mail.text).toContain('Now: £295,000\nBefore: £320,000\n');
			expect(mail.text).not.toMatch(/pills|AB1/);
		}
		expect(await examples.rows('Sent emails')).toEqual(
			mailServer.mails.map(({ recipients: [to], subject: what }) =>
				expect.objectContaining({ to, what, about: id, workflow: workflow.name }),
			),
		);
	});

	it('writes to nobody while the list has a name without an address, and to the others once it is put right', async () => {
		const { id } = stage.sandbox.inventory.create(AGENCY, PROPERTY);
		const named = ['a', 'b', 'c', 'd'];
		for (const name of [...named, 'fits']) addApplicant(`${name}@example.com`);
		const workflow = await publish(agency('a@example.com, Smith *@example.com c@example.com/d'));

		lower(id);
		const failed = await examples.failure(workflow);

		expect(failed.nodeError('Agency')?.message).toContain(
			"'doNotWriteTo has only email addresses' expects a boolean but we got 'Smith *@example.com c@example.com/d'",
		);
		expect(mailServer.mails).toEqual([]);

		const separated = ' A@example.com,b@example.com; <c@EXAMPLE.com>  "d@example.com"\n';
		await changeAgency(workflow, agency(separated));
		const corrected = await examples.retry(failed, { loadWorkflow: true });

		expect(corrected.status).toBe('success');
		expect(recipients()).toEqual(['fits@example.com']);
	});

	it('goes on with the mail that failed, and writes to nobody twice', async () => {
		const { id } = stage.sandbox.inventory.create(AGENCY, PROPERTY);
		const addresses = ['a@example.com', 'b@example.com', 'c@example.com'];
		for (const address of addresses) addApplicant(address);
		mailServer.accepts = () => mailServer.mails.length === 0;
		const workflow = await publish();

		lower(id);
		const failed = await examples.failure(workflow);

		expect(failed.nodeError('Send Email')).toBeDefined();
		expect(recipients()).toHaveLength(1);

		mailServer.accepts = () => true;
		expect((await examples.retry(failed)).status).toBe('success');
		expect(recipients()).toEqual(addresses);
	});
});
