import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { Operation } from '../../../lab/conformance/operations';
import { OPERATIONS } from '../../../lab/conformance/operations';
import { answerProblems } from '../../../lab/conformance/problems';
import { Sandbox } from '../../../lab/sandbox';
import { bearer, body, request, type Client, type Reply } from './helpers';

/** The rest of a request; the base address, the token and the AgencyRef are added. */
interface Asked {
	path: string;
	method?: string;
	/** Sent as JSON. */
	body?: unknown;
}

/** How a request with this outcome is made, after whatever it takes. */
type Scene = (sandbox: Sandbox) => Asked | Promise<Asked>;

const PREMIUM = '/products/premium-listings';
const WEEKLY = '/products/weekly-featured-properties';
const NOBODY = '5d0f6c1e-7a43-4f0a-9b1c-2e8d4a6b7c90';
const LARGE = { text: 'x'.repeat(700 * 1024) };

/** The service's CRM leads are nothing that this package reads: the sandbox has none. */
const ABSENT = ['getCrmLead'];

/** What the sandbox itself answers so; all other documented statuses are faults, in its usual shapes. */
const SCENES: Record<string, Record<number, Scene>> = {
	listApplicantLeads: ofLeads('/applicant-leads', 'applicant'),
	listAppraisalLeads: ofLeads('/appraisal-leads', 'appraisal'),
	listPremium: ofActivations(PREMIUM),
	activatePremium: ofOrders(PREMIUM),
	getPremium: ofOneActivation(PREMIUM),
	updateHighlights: {
		202: async (sandbox) => change(await activated(sandbox), { highlights: [{ id: 7 }] }),
		400: async (sandbox) => change(await activated(sandbox), { highlights: 'all' }),
		404: () => change(NOBODY, { highlights: [{ id: 7 }] }),
		409: async (sandbox) => change(await ordered(sandbox, PREMIUM), { highlights: [{ id: 7 }] }),
	},
	listWeekly: ofActivations(WEEKLY),
	activateWeekly: ofOrders(WEEKLY),
	getWeekly: ofOneActivation(WEEKLY),
	findByAddress: { 200: get('/inventory'), 400: get('/inventory?category=Boat') },
	getItem: {
		200: (sandbox) => ({ path: `/inventory/${propertyId(sandbox)}` }),
		404: get('/inventory/nobody-has-it'),
	},
	getItems: {
		200: (sandbox) => ({ path: `/inventory/items?inventory-id=${propertyId(sandbox)}` }),
		400: get('/inventory/items'),
	},
	search: { 200: get('/inventory/search?query=a'), 400: get('/inventory/search') },
	filter: { 200: get('/inventory/filter'), 400: get('/inventory/filter?max-results=251') },
	listBranches: { 200: get('/branches') },
	getBranch: { 200: get('/branches/11'), 404: get('/branches/99') },
	listNegotiators: { 200: get('/negotiators') },
	getNegotiator: { 200: get('/negotiators/41'), 404: get('/negotiators/99') },
	whoAmI: { 200: get('/partners/integration') },
};

const known = OPERATIONS.filter(({ id }) => !ABSENT.includes(id));

let sandbox: Sandbox;
let headers: Record<Operation['api'], Record<string, string>>;

beforeAll(async () => {
	sandbox = await Sandbox.start({ contract: 'closed' });
	sandbox.addLeads('applicant', 40, { from: sandbox.now() - 3_600_000 });
	sandbox.addLeads('appraisal', 40, { from: sandbox.now() - 3_600_000 });
	headers = {
		leads: await bearer(sandbox, sandbox.leadsClient),
		products: await bearer(sandbox, sandbox.productsClient),
		inventory: await bearer(sandbox, sandbox.inventoryClient),
	};
});

afterAll(() => sandbox.stop());

describe.each(known.map((operation) => [operation.id, operation] as const))(
	'%s',
	(id, operation) => {
		it.each([...operation.answers.keys()])('answers %i as the contract has it', async (status) => {
			const scene = SCENES[id]?.[status];
			const refused = refusalOf(operation, status);
			const asked = await (scene ?? firstScene(id))(sandbox);

			const reply = await refused(asked, scene === undefined);

			expect([reply.status, problemsOf(operation, asked, reply)]).toEqual([status, []]);
		});
	},
);

it('all operations of the contract are known here', () => {
	expect(Object.keys(SCENES).sort()).toEqual(known.map(({ id }) => id).sort());
	for (const { id, answers } of known) {
		const invented = Object.keys(SCENES[id] ?? {}).filter((status) => !answers.has(Number(status)));
		expect([id, invented]).toEqual([id, []]);
	}
});

/** Sends a request in such a way that the service answers with the status. */
function refusalOf({ api }: Operation, status: number) {
	return async (asked: Asked, isForced: boolean): Promise<Reply> => {
		if (!isForced) return await send(api, asked);
		if (status === 401) return await send(api, asked, { Authorization: 'Bearer nobody' });
		if (status === 403) return await forbidden(api, asked);
		sandbox.faults.add({ kind: 'status', status });
		return await send(api, asked);
	};
}

async function forbidden(api: Operation['api'], asked: Asked): Promise<Reply> {
	const { clientId } = clientOf(api);
	sandbox.updateClient(clientId, { permitted: false });
	const reply = await send(api, asked);
	sandbox.updateClient(clientId, { permitted: true });
	return reply;
}

function send(
	api: Operation['api'],
	{ path, method = 'GET', body: sent }: Asked,
	changes: Record<string, string> = {},
): Promise<Reply> {
	const [agencyRef = ''] = sandbox.inventoryClient.agencyRefs;
	return request(`${sandbox[`${api}Url`]}${path}`, {
		method,
		headers: {
			...headers[api],
			...(api === 'inventory' && { AgencyRef: agencyRef }),
			...(sent !== undefined && { 'Content-Type': 'application/json' }),
			...changes,
		},
		...(sent !== undefined && { body: JSON.stringify(sent) }),
	});
}

function problemsOf({ api }: Operation, { path, method = 'GET' }: Asked, reply: Reply): string[] {
	const answer = {
		status: reply.status,
		headers: Object.fromEntries(reply.headers),
		body: reply.text,
	};
	return answerProblems(api, { method, path: path.replace(/\?.*/, '') }, answer, 'closed');
}

function clientOf(api: Operation['api']): Client {
	return sandbox[`${api}Client`];
}

function firstScene(id: string): Scene {
	const [scene] = Object.values(SCENES[id] ?? {});
	if (scene === undefined) throw new Error(`${id} has no scene`);
	return scene;
}

function get(path: string): Scene {
	return () => ({ path });
}

function ofLeads(path: string, kind: 'applicant' | 'appraisal'): Record<number, Scene> {
	return {
		200: () => {
			sandbox.addLead(kind);
			return { path };
		},
		400: get(`${path}?branch-id=nobody`),
	};
}

function ofActivations(path: string): Record<number, Scene> {
	return {
		200: async (service) => {
			await ordered(service, path);
			return { path };
		},
		400: get(`${path}?listingId=1&customerListingId=A`),
	};
}

function ofOneActivation(path: string): Record<number, Scene> {
	return {
		200: async (service) => ({ path: `${path}/${await ordered(service, path)}` }),
		404: get(`${path}/${NOBODY}`),
	};
}

function ofOrders(path: string): Record<number, Scene> {
	const order = (sent: object) => ({ path, method: 'POST', body: sent });
	return {
		202: () => order({ listingId: newListing() }),
		303: async (service) => {
			await ordered(service, path, 77);
			return order({ listingId: 77 });
		},
		400: () => order({ listingId: 1, customerListingId: 'A' }),
		413: () => order({ listingId: newListing(), customDetails: LARGE }),
	};
}

let listings = 1_000;

function newListing(): number {
	return ++listings;
}

/** @returns the ID of an activation that is pending */
async function ordered(service: Sandbox, path: string, listingId = newListing()): Promise<string> {
	service.products.configure({ settleAfterGets: 100 });
	const reply = await send('products', { path, method: 'POST', body: { listingId } });
	return body<{ id: string }>(reply).id;
}

/** @returns the ID of a premium listing that is active */
async function activated(service: Sandbox): Promise<string> {
	service.products.configure({ settleAfterGets: 0 });
	const listingId = newListing();
	const reply = await send('products', { path: PREMIUM, method: 'POST', body: { listingId } });
	const { id } = body<{ id: string }>(reply);
	await send('products', { path: `${PREMIUM}/${id}` });
	return id;
}

function change(id: string, sent: object): Asked {
	return { path: `${PREMIUM}/${id}`, method: 'PATCH', body: sent };
}

function propertyId(service: Sandbox): string {
	const [agencyRef = ''] = service.inventoryClient.agencyRefs;
	return service.inventory.of(agencyRef)[0]?.id ?? '';
}
