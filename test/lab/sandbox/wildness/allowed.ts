import { STATUS_CODES } from 'node:http';

import omit from 'lodash/omit';

import { isRecord } from '../../values';
import { pick, shuffled } from '../random';
import { contentOf } from './places';
import { errorBody, fieldsOf, isGood, listIn, refusal, withList, withType } from './reply';
import type { Reply, Situation, Wildness } from './situation';

/** Wildness that the contract allows, except that of single values. */
export const ALLOWED: Wildness[] = [
	before('busy', [429]),
	before('failed', [500]),
	{
		name: 'tokenRevoked',
		strength: 'allowed',
		isBefore: true,
		breaks: true,
		apply: (reply, situation) => {
			const { clientId, service, random, integration } = situation;
			if (integration === 'token' || clientId === null) return undefined;
			service.tokens.revokeAll(clientId);
			const status = pick(random, [401, 403]);
			const isBare = status === 403 && integration === 'leads';
			return refusal(
				reply,
				status,
				isBare ? undefined : errorBody(random, situation, 'token revoked'),
			);
		},
	},
	{
		name: 'listOrder',
		strength: 'allowed',
		apply: (reply, { integration, random }) => {
			const found = listIn(reply);
			if (found === undefined || found.list.length < 2 || integration === 'inventory') {
				return undefined;
			}
			return withList(reply, shuffled(random, found.list));
		},
	},
	{
		name: 'bareObject',
		strength: 'allowed',
		apply: (reply, { integration }) =>
			isEmptyList(reply) && integration !== 'products' ? { ...reply, value: {} } : undefined,
	},
	{
		name: 'nullItems',
		strength: 'allowed',
		apply: (reply, { integration }) => {
			if (!isEmptyList(reply) || integration !== 'inventory') return undefined;
			return { ...reply, value: { ...fieldsOf(reply), items: null } };
		},
	},
	{
		name: 'lastPage',
		strength: 'allowed',
		apply: (reply, { integration, template, random }) => {
			const found = listIn(reply);
			if (integration !== 'inventory' || found === undefined || !isGood(reply)) return undefined;
			const { meta, ...rest } = fieldsOf(reply);
			if (template === '/inventory/items' || (isRecord(meta) && meta.nextToken)) return undefined;
			const forms = [undefined, {}, { nextToken: null }, { nextToken: '' }];
			const form = pick(random, forms);
			return { ...reply, value: { ...rest, ...(form && { meta: form }) } };
		},
	},
	{
		name: 'noCount',
		strength: 'allowed',
		apply: (reply, { template, random }) => {
			if (template !== '/inventory/items' || listIn(reply) === undefined || !isGood(reply)) {
				return undefined;
			}
			const rest = omit(fieldsOf(reply), 'totalCount');
			return { ...reply, value: pick(random, [rest, { ...rest, totalCount: 0 }]) };
		},
	},
	{
		name: 'emptyAs404',
		strength: 'allowed',
		apply: (reply, situation) => {
			const { template, random } = situation;
			const isDocumented = template === '/inventory' || template === '/inventory/items';
			if (!isEmptyList(reply) || !isDocumented) return undefined;
			return refusal(reply, 404, errorBody(random, situation, 'none'));
		},
	},
	{
		name: 'arrayOfOne',
		strength: 'allowed',
		apply: (reply, { method }) =>
			method === 'PATCH' && reply.status === 202 && isRecord(reply.value)
				? { ...reply, value: [reply.value] }
				: undefined,
	},
	{
		name: 'statusErrors',
		strength: 'allowed',
		apply: (reply, { integration }) => {
			if (integration !== 'products' || !isGood(reply)) return undefined;
			const activations = Array.isArray(reply.value) ? reply.value : [reply.value];
			const changed = activations.map(withOtherErrors);
			if (!changed.some((activation, index) => activation !== activations[index])) return undefined;
			return { ...reply, value: Array.isArray(reply.value) ? changed : changed[0] };
		},
	},
	{
		name: 'highlightKeys',
		strength: 'allowed',
		apply: (reply, { integration }) => {
			if (integration !== 'products' || !isRecord(reply.value)) return undefined;
			const { highlights } = reply.value;
			if (!Array.isArray(highlights) || highlights.length === 0) return undefined;
			const keyed = highlights
				.filter(isRecord)
				.map((each) => ({ ...each, key: `key${String(each.id)}` }));
			return { ...reply, value: { ...reply.value, highlights: keyed } };
		},
	},
	{
		name: 'otherRedirect',
		strength: 'allowed',
		apply: (reply, situation) => {
			const { integration, random, template } = situation;
			if (integration !== 'products' || reply.status !== 303) return undefined;
			const { Location = '' } = reply.headers;
			const headers = { ...reply.headers, Location: Location.replace('/products/', '/') };
			// By the contract the answer holds errors if the product is weekly, and the activation if it is premium.
			const errors = template.includes('weekly')
				? { errors: [{ reason: 'one is on its way already', code: 2_011_004 }] }
				: reply.value;
			return pick(random, [
				{ ...reply, headers },
				{ ...reply, headers, value: errors },
			]);
		},
	},
	{
		name: 'refusalBodies',
		strength: 'allowed',
		apply: (reply, situation) => {
			if (reply.status < 400 || isBodyUndocumented(situation, reply.status)) return undefined;
			const { random } = situation;
			return refusal(reply, reply.status, errorBody(random, situation, 'refused'));
		},
	},
	{
		name: 'mediaTypes',
		strength: 'allowed',
		apply: (reply, { integration, method, path, random }) => {
			if (integration === 'token' || reply.text !== undefined) return undefined;
			const types = Object.keys(contentOf(integration, method, path, reply.status));
			return types.length > 1 ? withType(reply, pick(random, types)) : undefined;
		},
	},
];

/** @returns the service refuses the request before it does any work */
function before(name: string, statuses: number[]): Wildness {
	return {
		name,
		strength: 'allowed',
		isBefore: true,
		breaks: true,
		apply: (reply, situation) => {
			const { random } = situation;
			const status = pick(random, statuses);
			const isBare = situation.integration === 'leads' && (status === 403 || status === 429);
			const text = STATUS_CODES[status] ?? 'refused';
			return refusal(reply, status, isBare ? undefined : errorBody(random, situation, text));
		},
	};
}

/** @returns whether the answer is that nothing was found */
function isEmptyList(reply: Reply): boolean {
	const found = listIn(reply);
	if (found === undefined || found.list.length > 0 || !isGood(reply)) return false;
	const { meta, errors } = fieldsOf(reply);
	if (errors !== undefined) return false;
	return !isRecord(meta) || typeof meta.nextToken !== 'string';
}

function isBodyUndocumented({ integration }: Situation, status: number): boolean {
	if (integration === 'token') return true;
	return integration === 'leads' ? status === 403 || status === 429 : false;
}

function withOtherErrors(activation: unknown) {
	if (!isRecord(activation) || !isRecord(activation.status)) return activation;
	const { errors } = activation.status;
	if (errors === undefined) return activation;
	const other = Array.isArray(errors) ? { errors } : errorsOf(errors);
	return { ...activation, status: { ...activation.status, errors: other } };
}

function errorsOf(holder: unknown): unknown[] {
	return isRecord(holder) && Array.isArray(holder.errors) ? holder.errors : [];
}
