import countBy from 'lodash/countBy';
import max from 'lodash/max';
import startCase from 'lodash/startCase';
import type { ParsedMail } from 'mailparser';

import { credentialOf } from '../credentialOf';
import { isRecord } from '../values';
import type { CrmRecord } from './control';
import { ORDERS_END, TROUBLE } from './control';
import { BRANCHES } from './data';
import type { Sandbox } from './index';
import { AGENCY_REFS } from './inventory';
import {
	BASE,
	choice,
	details,
	escaped,
	form,
	input,
	Markup,
	page,
	table,
	timeText,
} from './markup';
import { lastChangeOf, STATUSES } from './propertyData';
import type { Answer } from './types';

const NEWEST = 10;
const KINDS = ['applicant', 'appraisal'] as const;

/** What came out of the workflows, each the oldest first. */
export interface Arrivals {
	crm: CrmRecord[];
	mails: ParsedMail[];
}

/**
 * The page by which people play the service's side: each form is one request to the control interface.
 *
 * @param said what came of the form that was sent last
 */
export function controlPage(sandbox: Sandbox, arrivals: Arrivals, said: string): Answer {
	const { inventory, url } = sandbox;
	return page(
		'Sandbox of the Agent Integration Service',
		`<p>It stands in for the real service. All people, properties and secrets here are invented. Its clock says
${timeText(sandbox.now())}. <a href="${BASE}">Show what is new</a></p>
${said && `<p role="status">${escaped(said)}</p>`}
<h2>Your CRM</h2>
<p>It takes what a workflow posts to <code>${url}${BASE}/crm</code>, or to <code>/crm/</code> and a name of your own.</p>
${table(['When', 'Sent to', 'Name', 'Branch', 'How often', 'Record'], crmRows(arrivals), 'Nothing has come yet.')}
<h2>Your mailbox</h2>
<p>It takes every email that n8n sends with the credential <b>SMTP (sandbox)</b>, whoever it is for.</p>
${table(['When', 'To', 'Subject'], mailRows(arrivals), 'Nothing has come yet.')}
<h2>Leads</h2>
<p>Published workflows that poll get a lead within a minute; one with Agent Leads Push Trigger gets it at once.</p>
${form('leads', 'Add a lead', choice('kind', 'Kind', KINDS) + choice('branchId', 'Branch', BRANCHES))}
${table(['When', 'Who', 'Kind', 'Branch', 'To n8n', 'In the CRM'], leadRows(sandbox, arrivals))}
<h2>Properties</h2>
<p>They are those of the agency <code>${AGENCY_REFS[0]}</code>; another is <code>${AGENCY_REFS[1]}</code>. Without an ID, a property is added.</p>
${form(
	'property',
	'Save the property',
	input('id', 'Property ID') +
		input('price', 'Price') +
		choice('inventoryStatus', 'Status', ['', ...STATUSES.slice(1)]),
)}
${table(['ID', 'Address', 'Price', 'Status', 'Changed'], changedIn(inventory))}
<h2>Orders</h2>
<p>Any Portal Listing ID works, such as <code>11111111</code>, and any listing ID of your own but <code>no-such-listing</code>.</p>
${form('orders', 'Set', choice('end', 'From now on, orders', Object.keys(ORDERS_END)))}
${table(['Activation', 'Listing', 'Result'], ordersOf(sandbox), 'No orders yet.')}
<h2>Make a credential by hand</h2>
${credentialsOf(sandbox)}
<h2>Trouble</h2>
<p>${stateOf(sandbox)}</p>
${form('service', 'Set', choice('state', 'For a minute, the service is', Object.keys(TROUBLE)))}
<p class="small"><a href="${BASE}/developers">For developers</a>: requests, pushes, scripts</p>`,
	);
}

function newest<T>(list: T[]): T[] {
	return list.slice(-NEWEST).reverse();
}

function crmRows({ crm }: Arrivals) {
	return newest(crm).map(({ at, inbox, key, record }) => {
		const { name, branch, sourceBranchId } = record;
		const json = escaped(JSON.stringify(record, null, 2));
		const own = crm.filter((each) => each.inbox === inbox);
		return [
			timeText(at),
			inbox,
			textOf(name),
			textOf(branch ?? sourceBranchId),
			key === undefined ? '' : howOften(own, key),
			details('Show', `<pre>${json}</pre>`),
		];
	});
}

function mailRows({ mails }: Arrivals) {
	return newest(mails).map(({ date, to, subject, text }) => [
		timeText(date?.getTime() ?? 0),
		[to ?? []]
			.flat()
			.map((each) => each.text)
			.join(', '),
		details(subject ?? 'No subject', `<pre>${escaped(text ?? '')}</pre>`),
	]);
}

/** The newest leads of both kinds: who sent each, and how far it has come. */
function leadRows({ leads, pushes, requests }: Sandbox, { crm }: Arrivals) {
	const all = KINDS.flatMap((kind) => leads.stored[kind].map((lead) => ({ ...lead, kind })));
	const byTime = all.sort((one, other) => one.receivedAt - other.receivedAt);
	return newest(byTime).map(({ kind, receivedAt, text }) => {
		const lead: unknown = JSON.parse(text);
		const { id, contact, sourceBranchId } = isRecord(lead) ? lead : {};
		const { firstName, lastName } = isRecord(contact) ? contact : {};
		const isPushed = pushes.log.some((push) => push.id === id && push.answer.status === 200);
		const isPolled = requests.some(
			({ at, path, status }) =>
				at > receivedAt && status === 200 && path.endsWith(`/${kind}-leads`),
		);
		const ways = [...(isPushed ? ['pushed'] : []), ...(isPolled ? ['polled'] : [])];
		return [
			...[timeText(receivedAt), `${textOf(firstName)} ${textOf(lastName)}`, kind],
			...[textOf(sourceBranchId), ways.join(' and ') || 'not yet'],
			howOften(crm, id),
		];
	});
}

/** How often at most one of the inboxes got what has this key: twice is what a workflow should avoid. */
function howOften(crm: CrmRecord[], wanted: unknown): string | Markup {
	const same = crm.filter(({ key }) => key !== undefined && key === wanted);
	const times = max(Object.values(countBy(same, 'inbox'))) ?? 0;
	if (times < 2) return times === 1 ? 'once' : 'not yet';
	return new Markup(`<span class="often">${times === 2 ? 'twice' : `${times} times`}</span>`);
}

function changedIn(inventory: Sandbox['inventory']): string[][] {
	const byTime = [...inventory.of(AGENCY_REFS[0])].sort(
		(one, other) => lastChangeOf(one) - lastChangeOf(other),
	);
	return newest(byTime).map((property) => [
		property.id,
		`${property.address.nameNo} ${property.address.street}, ${property.address.town}`,
		`£${property.price.toLocaleString('en-GB')}`,
		property.status,
		timeText(lastChangeOf(property)),
	]);
}

function ordersOf({ products }: Sandbox): string[][] {
	const weekly = products.list('weekly-featured-properties');
	const all = [...products.list('premium-listings'), ...weekly];
	return newest(all).map(({ shown }) => [shown.id, String(shown.listingId), shown.status.result]);
}

function stateOf({ faults }: Sandbox): string {
	const [armed] = faults.rules;
	return armed === undefined
		? 'It answers as usual.'
		: `It is in trouble until ${timeText(armed.rule.until ?? 0)}.`;
}

function credentialsOf(sandbox: Sandbox): string {
	const clients = [...sandbox.clients.byId.values()];
	return clients
		.map((client) => {
			const { type, data } = credentialOf(sandbox, client);
			const fields = Object.entries(data).map(([name, value]) => [labelOf(name), value]);
			const branches = client.branches.map((id) => ['Branch ID (for Filter By)', id]);
			const rows = [...fields, ...branches].map(([name = '', value = '']) => [
				name,
				new Markup(`<code>${escaped(value)}</code>`),
			]);
			return details(`${labelOf(type)}: ${client.clientId}`, table([], rows)).text;
		})
		.join('\n');
}

/** What n8n calls a field or a credential: “Client ID” for `clientId`. */
const labelOf = (name: string) =>
	startCase(name).replace(/\b(Id|Url|Api)\b/g, (word) => word.toUpperCase());

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}
