import { DISTURBANCES } from '../disturbance';
import type { Sandbox } from '../index';
import { Market } from '../market';
import {
	parseAgencyRef,
	parseClient,
	parseLeads,
	parseProperty,
	parseRule,
	parseWild,
} from './controlInput';
import { parseDisturbance } from './disturbanceInput';
import type { Input } from './fields';
import { oneOf, text, whole } from './fields';
import { BEHAVIOUR_FIELDS, parseBehaviour } from './productsBehaviour';
import { parseCompression, parsePush, parsePushTarget } from './pushInput';

interface Action {
	/** What it takes: what the page says of each field. Any other field is refused, unless it takes any. */
	fields: Record<string, string>;
	takesAny?: boolean;
	run: (sandbox: Sandbox, input: Input) => unknown;
}

const OWNER = { branchId: '', brandId: '', companyId: '', groupId: '' };

/** What another process can do, by method and path; each is one call of the sandbox. */
export const ACTIONS: Record<string, Action> = {
	'GET addresses': { fields: {}, run: (sandbox) => sandbox.addresses() },
	'GET counts': { fields: {}, run: (sandbox) => sandbox.counts },
	'GET requests': { fields: {}, run: (sandbox) => sandbox.requests },
	'POST reset-counts': { fields: {}, run: (sandbox) => sandbox.resetCounts() },
	'POST leads': {
		fields: {
			kind: 'applicant or appraisal',
			count: 'default: a single one that came just now',
			overrides: 'fields of the lead',
			from: 'epoch ms',
			to: 'epoch ms',
			receivedAt: 'epoch ms',
			...OWNER,
		},
		run: (sandbox, input) => parseLeads(input)(sandbox),
	},
	'DELETE leads': { fields: {}, run: (sandbox) => sandbox.clearLeads() },
	'GET push-addresses': { fields: {}, run: (sandbox) => sandbox.pushes.addresses() },
	'POST push-addresses': {
		fields: {
			url: '',
			authentication:
				'{ by: "key", key } or { by: "token", tokenUrl, clientId, clientSecret, pairIn: basic, form or json, audience }',
			without: 'a list of applicant, appraisal, sales, lettings',
		},
		run: (sandbox, input) => sandbox.pushes.add(parsePushTarget(input)),
	},
	'DELETE push-addresses': { fields: {}, run: (sandbox) => sandbox.pushes.clear() },
	'GET pushes': { fields: {}, run: (sandbox) => sandbox.pushes.log },
	'POST pushes': {
		fields: {
			kind: 'applicant or appraisal',
			id: 'of a lead that is there',
			overrides: 'fields of the lead',
			branchId: '',
			copies: 'at once',
			takesMs: '',
			cutAfter: 'bytes',
			isWrong: 'the key',
		},
		run: (sandbox, input) => parsePush(input)(sandbox),
	},
	'DELETE pushes': { fields: {}, run: (sandbox) => sandbox.pushes.forget() },
	'POST push-speed': {
		fields: { compression: 'how much faster than in reality repeats come' },
		run: (sandbox, input) => void (sandbox.pushes.compression = parseCompression(input)),
	},
	'GET crm': { fields: {}, run: (sandbox) => sandbox.crm.records },
	'POST crm': { fields: {}, takesAny: true, run: (sandbox, input) => sandbox.crm.take(input) },
	'GET service': { fields: {}, run: (sandbox) => sandbox.disturbance.status() },
	'POST service': {
		fields: {
			state: `${Object.keys(DISTURBANCES).join(', ')}, or normal, which ends faults, wild mode and the products’ behaviour as well`,
			seconds: 'default 60',
		},
		run: (sandbox, input) => {
			parseDisturbance(input)(sandbox);
			return sandbox.disturbance.status();
		},
	},
	'POST faults': {
		fields: {
			kind: 'status, html, reset, hang, truncate, cutJson or latency',
			status: '',
			body: 'api, empty, html or json',
			retryAfter: '',
			ms: '',
			method: '',
			path: '',
			pathPattern: '',
			clientId: '',
			times: 'a number or "Infinity"',
			after: '',
			probability: '',
			when: 'before or after',
		},
		run: (sandbox, input) => void sandbox.faults.add(parseRule(input)),
	},
	'DELETE faults': { fields: {}, run: (sandbox) => sandbox.faults.clear() },
	'GET wild': { fields: {}, run: (sandbox) => sandbox.wild.status() },
	'POST wild': {
		fields: {
			seed: '',
			strength: 'allowed or misbehaving',
			rate: '0 to 1',
			only: 'a list of names',
			without: 'a list of names',
		},
		run: (sandbox, input) => {
			sandbox.wild.start(parseWild(input));
			return sandbox.wild.status();
		},
	},
	'DELETE wild': { fields: {}, run: (sandbox) => sandbox.wild.stop() },
	'POST clients': {
		fields: {
			integration: 'leads, products or inventory',
			clientId: 'a known one is updated',
			clientSecret: '',
			audience: '',
			scope: '',
			tokenLifetime: 'seconds',
			expiresIn: '',
			branches: '',
			brands: '',
			companies: '',
			groups: '',
			agencyRefs: '',
			permitted: '',
			rejectTokenWith: '401 or 403',
		},
		run: (sandbox, input) => parseClient(input)(sandbox),
	},
	'POST revoke-tokens': {
		fields: { clientId: '' },
		run: (sandbox, input) => sandbox.revokeTokens(text(input, 'clientId')),
	},
	'POST revoke-client': {
		fields: { clientId: '' },
		run: (sandbox, input) => sandbox.revokeClient(text(input, 'clientId')),
	},
	'POST clock': {
		fields: { advanceMs: '' },
		run: (sandbox, input) => {
			sandbox.advance(whole(input, 'advanceMs'));
			return { now: sandbox.now() };
		},
	},
	'POST products': {
		fields: Object.fromEntries(BEHAVIOUR_FIELDS.map((name) => [name, ''])),
		run: (sandbox, input) => {
			sandbox.products.configure(parseBehaviour(input));
			return sandbox.products.behaviour;
		},
	},
	'POST settle': {
		fields: { id: 'of an activation; default: all' },
		run: (sandbox, input) =>
			sandbox.products.settle(input.id === undefined ? undefined : text(input, 'id')),
	},
	'DELETE products': { fields: {}, run: (sandbox) => sandbox.products.clear() },
	'POST properties': {
		fields: { agencyRef: '', count: 'in place of those that are there' },
		run: (sandbox, input) => {
			sandbox.inventory.fill(text(input, 'agencyRef'), whole(input, 'count'));
		},
	},
	'POST property': {
		fields: {
			agencyRef: 'default: the first one',
			id: 'default: a new property',
			changes: 'fields of the record; inventoryStatus brings the others of the status',
			lag: '{ rows, records }, each { ms, reads }',
		},
		run: (sandbox, input) => parseProperty(input)(sandbox),
	},
	'POST market': {
		fields: { change: `${Market.CHANGES.join(', ')}; default: the next in turn` },
		run: (sandbox, { change, ...rest }) =>
			sandbox.market.step(
				change === undefined ? undefined : oneOf({ change, ...rest }, 'change', Market.CHANGES),
			),
	},
	'DELETE property': {
		fields: { agencyRef: 'default: the first one', id: '' },
		run: (sandbox, input) => sandbox.inventory.remove(parseAgencyRef(input), text(input, 'id')),
	},
};
