import { describe, expect, it, jest } from '@jest/globals';

import type { Execution, StoredWorkflow } from '../../lab/n8n';
import { until } from '../../lab/n8n';
import { HOUR, MINUTE } from '../../lab/n8n/stage';
import { arrival, useExamples } from '../../lab/n8n/stage/useExamples';
import { strings } from '../../lab/strings';

jest.setTimeout(120_000);

/** The pause before a lead is run again is a minute, unless n8n is started anew in it. */
const RUN_AGAIN_DEADLINE_MS = 80_000;

const TRIGGER = 'Agent Leads Trigger';

const examples = useExamples();
const { stage, receiver, mailServer } = examples;

/** The runs of a lead, oldest first. */
async function runsOf(workflow: StoredWorkflow, lead: string): Promise<Execution[]> {
	const all = await stage.n8n.executions(workflow);
	return all.filter((run) => run.json(TRIGGER).some(({ id }) => id === lead));
}

async function statusesOf(workflow: StoredWorkflow, lead: string): Promise<string[]> {
	return (await runsOf(workflow, lead)).map(({ status }) => status);
}

async function secondRunOf(workflow: StoredWorkflow, lead: string): Promise<Execution> {
	const run = await until('the second run', RUN_AGAIN_DEADLINE_MS, async () => {
		const [, second] = await runsOf(workflow, lead);
		return second;
	});
	return await stage.n8n.waitForExecution(workflow, run.id);
}

/** The lead IDs that the CRM has taken, in their order. */
function inCrm(): string[] {
	return strings(receiver.taken().map(({ leadId }) => leadId));
}

/** The lead IDs that the team has read about, in their order. */
function inChat(): string[] {
	return strings(receiver.taken().map(({ text }) => text)).map(
		(text) => /Lead ID: (.*)$/.exec(text)?.[1] ?? text,
	);
}

/** The lead IDs that negotiators have got mails about, in their order. */
function inMails(): string[] {
	return mailServer.mails.map(({ text = '' }) => /Lead ID: (.*)/.exec(text)?.[1] ?? text);
}

describe('new-leads-to-crm.json, appraisal-to-negotiator.json and lead-with-property.json', () => {
	it('start again for the lead whose run has failed, and hold up no other one', async () => {
		const url = receiver.url;
		const crm = await examples.publish('new-leads-to-crm.json', { 'Send to CRM': { url } });
		const mail = await examples.publish('appraisal-to-negotiator.json');
		const chat = await examples.publish('lead-with-property.json', { 'Send to Team': { url } });
		const lost = examples.addLead('applicant');
		const applicant = examples.addLead('applicant');
		const bounced = examples.addLead('appraisal', { sourceBranchId: '10235' });
		const appraisal = examples.addLead('appraisal', { sourceBranchId: '10234' });
		receiver.answer = ({ body }) => (JSON.stringify(body).includes(lost) ? 503 : 200);
		mailServer.accepts = (recipient) => recipient !== 'negotiator.wexbourne@example.com';

		const failed = await Promise.all([crm, mail, chat].map((each) => examples.failure(each)));
		await arrival('the other leads in the CRM', () => inCrm().length === 3);
		await arrival('the other mail', () => inMails().length === 1);
		await arrival('the other message', () => inChat().length === 1);

		expect(failed[0]?.nodeError('Send to CRM')?.message).toContain('Service unavailable');
		expect(failed[1]?.nodeError('Send Email')).toBeDefined();
		expect(failed[2]?.nodeError('Send to Team')).toBeDefined();
		expect(inCrm().sort()).toEqual([applicant, bounced, appraisal].sort());
		expect(inMails()).toEqual([appraisal]);
		expect(inChat()).toEqual([applicant]);

		receiver.answer = () => 200;
		mailServer.accepts = () => true;
		// Then nobody has to wait for the end of the pause.
		await stage.n8n.restart();
		const again = await Promise.all([
			secondRunOf(crm, lost),
			secondRunOf(mail, bounced),
			secondRunOf(chat, lost),
		]);

		for (const run of again) {
			expect(run.status).toBe('success');
			expect(run.json(TRIGGER)).toEqual([expect.objectContaining({ attempt: 2 })]);
		}
		expect(inCrm().sort()).toEqual([lost, applicant, bounced, appraisal].sort());
		expect(inMails()).toEqual([appraisal, bounced]);
		expect(inChat()).toEqual([applicant, lost]);
		for (const [workflow, lead] of [[crm, applicant] as const, [mail, appraisal] as const])
			expect(await statusesOf(workflow, lead)).toEqual(['success']);
	});

	it('keep the lead whose runs have all failed for a retry', async () => {
		const refused = examples.addLead('applicant', {}, HOUR);
		const other = examples.addLead('applicant', {}, MINUTE);
		receiver.answer = ({ body: { leadId } }) => (leadId === refused ? 503 : 200);

		const crm = await examples.publish('new-leads-to-crm.json', {
			'Send to CRM': { url: receiver.url },
			[TRIGGER]: { options: { runAgain: 0 } },
		});
		const failed = await examples.failure(crm);
		await arrival('the other lead', () => inCrm().length === 1);

		expect(inCrm()).toEqual([other]);

		receiver.answer = () => 200;

		expect((await examples.retry(crm, failed)).status).toBe('success');
		expect(inCrm()).toEqual([other, refused]);
	});
});
