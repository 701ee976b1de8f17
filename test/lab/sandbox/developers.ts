import { form, input, page, table, timeText } from './markup';
import type { Sandbox } from './index';
import type { Answer } from './types';

const NEWEST = 30;

/** What a developer wants to see of the sandbox, and to change in it. */
export function developersPage({ url, pushes, requests }: Sandbox): Answer {
	return page(
		'Sandbox: for developers',
		`<p><a href="/_sandbox">The service, the CRM and the mailbox</a></p>
<h2>Requests</h2>
${table(
	['When', 'Method', 'Path', 'Client ID', 'Answer'],
	requests
		.slice(-NEWEST)
		.reverse()
		.map(({ at, method, path, clientId, status }) => [
			timeText(at),
			...[method, path, clientId ?? '', String(status ?? 'open')],
		]),
	'None yet.',
)}
<h2>Pushes</h2>
${form('push-addresses', 'Register', input('url', 'Production URL of an Agent Leads Push Trigger, ending in /leads') + input('key', 'Its API key'))}
${table(
	['Pushes to', 'Lead', 'Answer'],
	[
		...pushes.targets.map((target) => [target.url, 'each new one', '']),
		...pushes.log
			.slice(-NEWEST)
			.reverse()
			.map((push) => [push.url, String(push.id), String(push.answer.status)]),
	],
	'No address is registered.',
)}
<h2>From a script</h2>
<p>Each form is one request, such as <code>curl ${url}/_sandbox/leads -d kind=applicant -d branchId=NORTH</code>.</p>`,
	);
}
