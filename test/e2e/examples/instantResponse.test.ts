import { describe, expect, it } from '@jest/globals';
import { DateTime } from 'luxon';

import type { StoredWorkflow } from '../../lab/n8n';
import { assigned, readExample } from '../../lab/n8n/stage/examples';
import { useExamples } from '../../lab/n8n/stage/useExamples';

const examples = useExamples();
const { stage, mailServer } = examples;
const mailAbout = (lead: string) => examples.mailAbout(lead);

describe('instant-lead-response.json', () => {
	const file = 'instant-lead-response.json';
	const { timezone } = readExample(file).settings ?? {};

	async function publish(openDays: number[]): Promise<StoredWorkflow> {
		const hours = { opens: 0, closes: 24, openDays: JSON.stringify(openDays) };
		return await examples.publish(file, { Desks: assigned(file, 'Desks', hours) });
	}

	function repliesTo(email: string) {
		return mailServer.mails.filter(({ recipients }) => recipients.includes(email));
	}

	it('sends each lead to the desk of its branch once, whether it is pushed, polled or both', async () => {
		const workflow = await publish([1, 2, 3, 4, 5, 6, 7]);
		examples.pushTo(workflow);
		const both = examples.addLead('applicant', {
			enquiryType: 'ENQUIRY_TYPE_SALES',
			sourceBranchId: 'SOUTH',
			contact: { firstName: 'Delia', lastName: 'Fernhollow', email: 'delia@example.com' },
		});
		const elsewhere = examples.addLead('appraisal', {
			enquiryType: 'ENQUIRY_TYPE_LETTINGS',
			sourceBranchId: 'QUAYSIDE',
			contact: { email: 'not an address' },
		});
		await stage.sandbox.pushes.settled();
		stage.sandbox.pushes.clear();
		const polled = examples.addLead('appraisal', {
			enquiryType: 'ENQUIRY_TYPE_LETTINGS',
			sourceBranchId: 'NORTH',
			contact: { email: 'corin@example.com' },
		});
		const other = examples.addLead('applicant', {
			enquiryType: 'ENQUIRY_TYPE_UNSPECIFIED',
			sourceBranchId: 'NORTH',
			contact: { email: 'ada@example.com' },
		});

		await examples.mails(7, workflow);

		expect(mailAbout(both).recipients).toEqual(['sales.wexbourne@example.com']);
		expect(mailAbout(both).replyTo).toMatchObject({ text: 'delia@example.com' });
		expect(mailAbout(both).subject).toBe('Sales: Delia Fernhollow enquires');
		expect(mailAbout(elsewhere).recipients).toEqual(['office@example.com']);
		expect(mailAbout(elsewhere).text).toContain('so this went to the office');
		expect(mailAbout(polled).recipients).toEqual(['lettings.littleford@example.com']);
		expect(mailAbout(polled).subject).toMatch(/^Lettings: .+ asks for a valuation$/);
		expect(mailAbout(other).recipients).toEqual(['office@example.com']);
		for (const email of ['delia@example.com', 'corin@example.com', 'ada@example.com']) {
			expect(repliesTo(email).map(({ text }) => text)).toEqual([
				expect.stringContaining('one of us will call you shortly'),
			]);
		}
		expect(mailServer.mails).toHaveLength(7);
		const kept = await examples.rows('Sent emails');
		expect(kept).toHaveLength(7);
		for (const [to, what] of [
			['delia@example.com', 'Say We Call Now'],
			['sales.wexbourne@example.com', 'Email Sales Desk'],
		])
			expect(kept).toContainEqual(
				expect.objectContaining({ to, what, about: `Delia Fernhollow, ${both}` }),
			);
		expect(await stage.n8n.executions(workflow)).toHaveLength(4);
	});

	it('tells the enquirer out of hours when somebody will call', async () => {
		const opening = DateTime.now().setZone(timezone).startOf('day').plus({ days: 3 });
		const workflow = await publish([opening.weekday]);
		examples.pushTo(workflow);

		const lead = examples.addLead('applicant', {
			enquiryType: 'ENQUIRY_TYPE_LETTINGS',
			sourceBranchId: 'SOUTH',
			contact: { email: 'delia@example.com' },
		});
		await examples.mails(2, workflow);

		expect(mailAbout(lead).recipients).toEqual(['lettings.wexbourne@example.com']);
		expect(repliesTo('delia@example.com')[0]?.text).toContain(
			`opens again on ${opening.toFormat("cccc, d MMMM 'at' HH:mm")}. One of us`,
		);
	});
});
