import { credentialOf } from '../credentialOf';
import { ORDERS_END, TROUBLE } from './control';
import { html } from './http';
import type { Sandbox } from './index';
import { AGENCY_REFS } from './inventory';
import { lastChangeOf, STATUSES } from './propertyData';
import type { Answer } from './types';

const BASE = '/_sandbox';
const NEWEST = 10;

const STYLE = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 1rem auto; padding: 0 1rem }
form, table, pre { margin: 0.5rem 0; max-width: 100%; overflow-x: auto; display: block }
label { margin-right: 1rem } th, td { text-align: left; padding: 0 1rem 0 0 }
code { user-select: all; overflow-wrap: anywhere } [role=status] { border-left: 4px solid; padding-left: 1rem }
:root { color-scheme: light dark }`;

/**
 * The page by which people play the service's side: each form is one request to the control interface.
 *
 * @param crm what was sent to the CRM, the newest first
 * @param said what came of the form that was sent last
 */
export function controlPage(sandbox: Sandbox, crm: object[], said: string): Answer {
	const { inventory, pushes, url } = sandbox;
	return html(
		200,
		`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<title>Sandbox of the Agent Integration Service</title><style>${STYLE}</style></head><body>
<h1>Sandbox of the Agent Integration Service</h1>
<p>It stands in for the real service. All people, properties and secrets here are invented. Its clock says
${timeText(sandbox.now())}. <a href="${BASE}">Show what is new</a></p>
<p role="status">${escaped(said)}</p>
<h2>Leads</h2>
<p>In n8n, published workflows that poll run within a minute. A lead is also pushed to each registered address.</p>
${form('leads', 'Add a lead', choice('kind', 'Kind', ['applicant', 'appraisal']))}
${form('push-addresses', 'Register', input('url', 'Production URL of an Agent Leads Push Trigger, ending in /leads') + input('key', 'Its API key'))}
${table(
	['Pushes to', 'Lead', 'Answer'],
	[
		...pushes.targets.map((target) => [target.url, 'each new one', '']),
		...newest(pushes.log).map((push) => [push.url, String(push.id), String(push.answer.status)]),
	],
)}
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
${table(['Activation', 'Listing', 'Result'], ordersOf(sandbox))}
<h2>The service</h2>
<p>${stateOf(sandbox)}</p>
${form('service', 'Set', choice('state', 'For a minute, the service is', Object.keys(TROUBLE)))}
${table(
	['Requests (newest first)', 'Path', 'Client ID', 'Answer'],
	newest(sandbox.requests).map(({ method, path, clientId, status }) => [
		method,
		path,
		clientId ?? '',
		String(status ?? 'open'),
	]),
)}
<h2>A CRM</h2>
<p>It takes whatever a workflow sends to <code>${url}${BASE}/crm</code>. Records so far: ${crm.length}. The newest:</p>
<pre>${escaped(JSON.stringify(crm[0] ?? 'none', null, 2))}</pre>
<h2>Credentials</h2>
${credentialsOf(sandbox)}
</body></html>
`,
	);
}

function newest<T>(list: T[]): T[] {
	return list.slice(-NEWEST).reverse();
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
			const branches = client.branches.map((id) => ['Branch ID', id]);
			return `<h3>${type}: ${client.clientId}</h3>${table([], [...Object.entries(data), ...branches])}`;
		})
		.join('\n');
}

function form(action: string, label: string, fields: string): string {
	return `<form method="post" action="${BASE}/${action}">${fields} <button>${label}</button></form>`;
}

function input(name: string, label: string): string {
	return `<label>${label} <input name="${name}" autocomplete="off"></label>`;
}

function choice(name: string, label: string, values: string[]): string {
	const options = values.map((each) => `<option>${each}</option>`);
	return `<label>${label} <select name="${name}">${options.join('')}</select></label>`;
}

function table(heads: string[], rows: string[][]): string {
	const row = (cells: string[]) => `<tr>${cells.join('')}</tr>`;
	const head = row(heads.map((each) => `<th>${each}</th>`));
	const body = rows.map((cells) =>
		row(cells.map((each) => `<td><code>${escaped(each)}</code></td>`)),
	);
	return `<table>${head}${body.join('\n')}</table>`;
}

function timeText(epochMs: number): string {
	return `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function escaped(value: string): string {
	return value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
