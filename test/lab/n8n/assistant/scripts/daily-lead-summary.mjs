import { workflow, node, trigger, sticky, newCredential, merge, expr } from '@n8n/workflow-sdk';

const everyMorning = trigger({
	type: 'n8n-nodes-base.scheduleTrigger',
	version: 1.2,
	config: {
		name: 'Every Morning',
		parameters: {
			rule: {
				interval: [{ field: 'days', daysInterval: 1, triggerAtHour: 7, triggerAtMinute: 0 }],
			},
		},
	},
});

const yesterday = node({
	type: 'n8n-nodes-base.set',
	version: 3.4,
	config: {
		name: 'Yesterday',
		parameters: {
			assignments: {
				assignments: [
					{
						id: 'from',
						name: 'from',
						value: expr('{{ $today.minus({ days: 1 }).toISO() }}'),
						type: 'string',
					},
					{
						id: 'to',
						name: 'to',
						value: expr('{{ $today.minus({ seconds: 1 }).toISO() }}'),
						type: 'string',
					},
					{
						id: 'day',
						name: 'day',
						value: expr("{{ $today.minus({ days: 1 }).toFormat('cccc d MMMM yyyy') }}"),
						type: 'string',
					},
				],
			},
		},
	},
});

const applicants = node({
	type: 'n8n-nodes-agent-integration.agentLeads',
	version: 1,
	config: {
		name: 'Applicants',
		parameters: {
			resource: 'applicantLead',
			operation: 'getAll',
			period: 'range',
			from: expr('{{ $json.from }}'),
			to: expr('{{ $json.to }}'),
			returnAll: true,
		},
		credentials: { agentLeadsApi: newCredential('Agent Leads account') },
		alwaysOutputData: true,
	},
});

const appraisals = node({
	type: 'n8n-nodes-agent-integration.agentLeads',
	version: 1,
	config: {
		name: 'Appraisals',
		parameters: {
			resource: 'appraisalLead',
			operation: 'getAll',
			period: 'range',
			from: expr('{{ $json.from }}'),
			to: expr('{{ $json.to }}'),
			returnAll: true,
		},
		credentials: { agentLeadsApi: newCredential('Agent Leads account') },
		alwaysOutputData: true,
	},
});

const both = merge({
	version: 3,
	config: {
		name: 'Both',
		parameters: { mode: 'append' },
	},
});

const countEach = node({
	type: 'n8n-nodes-base.set',
	version: 3.4,
	config: {
		name: 'Count Each',
		parameters: {
			assignments: {
				assignments: [
					{
						id: 'branch',
						name: 'branch',
						value: expr("{{ $json.leadType ? $json.sourceBranchId || 'No branch' : '' }}"),
						type: 'string',
					},
					{
						id: 'applicants',
						name: 'applicants',
						value: expr("{{ $json.leadType === 'applicant' ? 1 : 0 }}"),
						type: 'number',
					},
					{
						id: 'appraisals',
						name: 'appraisals',
						value: expr("{{ $json.leadType === 'appraisal' ? 1 : 0 }}"),
						type: 'number',
					},
				],
			},
		},
	},
});

const perBranch = node({
	type: 'n8n-nodes-base.summarize',
	version: 1,
	config: {
		name: 'Per Branch',
		parameters: {
			fieldsToSummarize: {
				values: [
					{ aggregation: 'sum', field: 'applicants' },
					{ aggregation: 'sum', field: 'appraisals' },
				],
			},
			fieldsToSplitBy: 'branch',
			options: { skipEmptySplitFields: true },
		},
		alwaysOutputData: true,
	},
});

const summary = node({
	type: 'n8n-nodes-base.set',
	version: 3.4,
	config: {
		name: 'Summary',
		parameters: {
			assignments: {
				assignments: [
					{
						id: 'subject',
						name: 'subject',
						value: expr("Leads for {{ $('Yesterday').first().json.day }}"),
						type: 'string',
					},
					{
						id: 'text',
						name: 'text',
						value: expr(
							"{{ $('Per Branch').all().some((row) => row.json.branch) ? $('Per Branch').all().map((row) => row.json).sort((a, b) => a.branch.localeCompare(b.branch, 'en', { numeric: true })).map((row) => row.branch + ': applicants ' + row.sum_applicants + ', appraisals ' + row.sum_appraisals).join('\\n') + '\\n\\nAll branches: applicants ' + $('Per Branch').all().map((row) => row.json.sum_applicants).sum() + ', appraisals ' + $('Per Branch').all().map((row) => row.json.sum_appraisals).sum() : 'There were no leads.' }}",
						),
						type: 'string',
					},
				],
			},
		},
		executeOnce: true,
	},
});

const sendSummary = node({
	type: 'n8n-nodes-base.emailSend',
	version: 2.1,
	config: {
		name: 'Send Summary',
		parameters: {
			fromEmail: 'leads@example.com',
			toEmail: 'office@example.com',
			subject: expr('{{ $json.subject }}'),
			emailFormat: 'text',
			text: expr('{{ $json.text }}'),
			options: { appendAttribution: false },
		},
		credentials: { smtp: newCredential('SMTP account') },
		disabled: true,
		retryOnFail: true,
		maxTries: 3,
		waitBetweenTries: 5000,
	},
});

const setItUp = sticky(
	'Set it up: choose credentials, enter both addresses in **Send Summary**, then activate it.',
	[sendSummary],
	{ name: 'Set It Up' },
);

export default workflow('daily-lead-summary', 'Daily summary of leads', {
	timezone: 'Europe/London',
	saveDataErrorExecution: 'all',
})
	.add(everyMorning)
	.to(yesterday)
	.to(applicants.to(both.input(0)))
	.add(yesterday)
	.to(appraisals.to(both.input(1)))
	.add(both)
	.to(countEach)
	.to(perBranch)
	.to(summary)
	.to(sendSummary)
	.add(setItUp);
