import { DISTURBANCES } from '../disturbance';
import type { Sandbox } from '../index';
import { SAID, button, escaped, live, moment, values } from './html';

const NEW_LEAD =
	'In n8n, published workflows that poll run within a minute. A push trigger that is registered runs at once.';
const CHANGED =
	'In n8n, a published Agent Inventory Trigger finds it at its next poll if you have chosen this event.';
const FAILS_AFTER_RETRIES =
	'In n8n, a node tries again a few times, then fails and says so. A trigger delivers what it missed once the service is back.';

/** @returns the part of the page with the buttons that most people look for */
export function tryingOut(sandbox: Sandbox, base: string): string {
	return `<section aria-labelledby="try">
<h2 id="try">Try it</h2>
<div class="cards">
${leadCard()}
${serviceCard(sandbox)}
${propertyCard()}
${listingCard(sandbox)}
${crmCard(sandbox, base)}
</div>
</section>`;
}

function card(id: string, title: string, content: string): string {
	return `<article class="card" aria-labelledby="${id}"><h3 id="${id}">${title}</h3>${content}${SAID}</article>`;
}

function leadCard(): string {
	const lead = (label: string, kind: string) =>
		button({ label, action: 'POST leads', input: { kind }, expect: NEW_LEAD });
	const push = button({
		label: 'Push an applicant lead',
		action: 'POST pushes',
		input: { kind: 'applicant' },
		expect:
			'In n8n, the workflow of each registered push trigger runs at once if it is published. Triggers that poll find the lead as well.',
	});
	return card(
		'try-leads',
		'Leads',
		`<p>A new lead comes in now, from an invented person. It is also pushed to each address that is registered under
<a href="#pushes">Pushed leads</a>; the last button refuses if there is none.</p>
<p class="buttons">${lead('Add an applicant lead', 'applicant')} ${lead('Add an appraisal lead', 'appraisal')} ${push}</p>`,
	);
}

function serviceCard({ disturbance }: Sandbox): string {
	const order = (label: string, state: keyof typeof DISTURBANCES, expect: string) =>
		button({ label, action: 'POST service', input: { state, seconds: 60 }, expect });
	return card(
		'try-service',
		'Trouble with the service',
		`${live('state', stateOf(disturbance.status()))}
<p class="buttons">${order('Busy for a minute (429)', 'busy', FAILS_AFTER_RETRIES)}
${order('Broken for a minute (500)', 'broken', FAILS_AFTER_RETRIES)}
${order(
	'Refuse access for a minute (403)',
	'refusing access',
	'In n8n, a node gets a new token and tries once more, then fails and says that access is refused.',
)}
${button({
	label: 'End all trouble',
	action: 'POST service',
	input: { state: 'normal' },
	expect:
		'That includes orders that fail, and the wild mode. In n8n, the next run or poll works again.',
})}</p>`,
	);
}

function stateOf(status: ReturnType<Sandbox['disturbance']['status']>): string {
	if (status.state === 'normal') return '<p class="state">Now: answers as usual.</p>';
	const { state, until } = status;
	return `<p class="state bad">Now: ${state}. Requests for data are answered ${DISTURBANCES[state]} until ${moment(until)}.</p>`;
}

function propertyCard(): string {
	const change = (label: string, name: string) =>
		button({ label, action: 'POST market', input: { change: name }, expect: CHANGED });
	return card(
		'try-properties',
		'Properties',
		`<p>Changes a property of the first agency. With <code>npm start</code>, one changes every minute anyway.
To choose which, open <a href="#properties">Properties</a>.</p>
<p class="buttons">${change('Lower a price', 'price')} ${change('Advance a status', 'status')} ${change('Add a property', 'new')}</p>`,
	);
}

/** How the buttons let orders end. */
const ORDERS_END = {
	success: { result: 'ACTIVATED', settleAfterGets: 1 },
	error: { result: 'ERROR', settleAfterGets: 1 },
	pending: { result: 'ACTIVATED', settleAfterGets: null },
};

type OrdersEnd = keyof typeof ORDERS_END;

function listingCard({ products }: Sandbox): string {
	const order = (label: string, end: OrdersEnd, expect: string) =>
		button({ label, action: 'POST products', input: ORDERS_END[end], expect });
	const [refused = 0] = products.behaviour.refusedListings;
	const [unknown = ''] = products.behaviour.unknownListings;
	const ids = [
		{ label: 'Portal Listing ID', value: '11111111', note: 'any number works' },
		{
			label: 'Portal Listing ID that is not allowed',
			value: String(refused),
			note: 'the order is refused',
		},
		{ label: 'Your Listing ID', value: 'REF-5001', note: 'any text works' },
		{ label: 'Your Listing ID that is unknown', value: unknown, note: 'the order is refused' },
	];
	return card(
		'try-listings',
		'Listings to promote',
		`${live('orders', ordersOf(products))}
${values(ids, 'a listing')}
<p class="buttons">${order('Leave orders pending', 'pending', 'In n8n, the next Activate waits up to two minutes, then ends with the outcome “pending”.')}
${order('Make orders fail', 'error', 'In n8n, the next Activate is accepted, then ends in an error. The sandbox counts a credit; the real service may not.')}
${order('Let orders succeed', 'success', 'In n8n, the next Activate ends with the outcome “activated”. Orders that are pending stay so.')}</p>`,
	);
}

function ordersOf({ behaviour }: Sandbox['products']): string {
	if (behaviour.result === 'ERROR') return '<p class="state bad">Now: orders end in an error.</p>';
	return behaviour.settleAfterGets === null && behaviour.settleAfterMs === null
		? '<p class="state bad">Now: orders stay pending.</p>'
		: '<p class="state">Now: orders succeed.</p>';
}

function crmCard({ crm, url }: Sandbox, base: string): string {
	const address = { label: 'Address', value: `${url}${base}/crm`, note: 'no credential needed' };
	const [newest] = crm.records;
	const shown =
		newest === undefined
			? '<p class="state">No record yet.</p>'
			: `<p class="state">Records so far: ${crm.count}. The newest:</p><pre>${escaped(JSON.stringify(newest, null, 2))}</pre>`;
	return card(
		'try-crm',
		'A CRM',
		`<p>It takes whatever a workflow sends. In the example “Send new leads to a CRM”, enter its address in <b>Send to CRM</b>, then activate that node.</p>
${values([address], 'the CRM')}
${live('crm', shown)}`,
	);
}
