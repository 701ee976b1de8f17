import mapValues from 'lodash/mapValues';
import { request as send } from 'undici';

import type { Operation } from '../conformance/operations';
import { OPERATIONS } from '../conformance/operations';
import type { Answer } from '../conformance/problems';

/** A request as it should stand on the wire. */
export interface WireRequest {
	method: Operation['method'];
	url: string;
	headers: Record<string, string>;
	body?: string;
}

/** What came back; a redirect is an answer like any other. The names of headers are in lower case. */
export type WireAnswer = Required<Answer>;

/** Where an API is, and who asks. */
export interface Door {
	baseUrl: string;
	token: string;
	/** Sent where the contract asks for it. */
	agencyRef?: string;
}

/** Several values are a repeated parameter; a date is in UTC and whole seconds. */
export type Values = Record<string, string | number | boolean | Date | string[] | undefined>;

/**
 * Sends a request once: nothing is repeated and no redirect is followed.
 *
 * @throws what undici throws, when there is no whole answer
 */
export async function exchange({ url, ...rest }: WireRequest): Promise<WireAnswer> {
	const signal = AbortSignal.timeout(60_000);
	const { statusCode, headers, body } = await send(url, { ...rest, signal });
	const texts = mapValues(headers, (value) => [value ?? []].flat().join(', '));
	return { status: statusCode, headers: texts, body: await body.text() };
}

/**
 * The request for an operation of the contract, built from the contract alone.
 *
 * @param values of the parameters in the path and the query
 * @throws Error if the contract has no such operation or parameter
 */
export function call(
	{ baseUrl, token, agencyRef = '' }: Door,
	operationId: string,
	values: Values,
): WireRequest {
	const operation = OPERATIONS.find((each) => each.operationId === operationId);
	const query = new URLSearchParams();
	let path = operation?.template;
	for (const [name, value] of Object.entries(values)) {
		const parameter = operation?.parameters.find((each) => each.name === name);
		if (!parameter) throw new Error(`${operationId} takes no ${name}`);
		for (const text of [value ?? []].flat().map(textOf)) {
			if (parameter.in === 'query') query.append(name, text);
			else path = path?.replace(`{${name}}`, encodeURIComponent(text));
		}
	}
	if (!operation || !path) throw new Error(`The contract has no ${operationId}`);
	const takesAgency = operation.parameters.some(({ name }) => name === 'AgencyRef');
	return {
		method: operation.method,
		url:
			joined(baseUrl, path) + (query.size > 0 ? `?${query.toString().replaceAll('+', '%20')}` : ''),
		headers: {
			...{ authorization: `Bearer ${token}`, accept: 'application/json' },
			...(takesAgency && { AgencyRef: agencyRef }),
		},
	};
}

/** A base address is the same with and without a slash at its end. */
export function joined(baseUrl: string, path: string): string {
	return baseUrl.replace(/\/+$/, '') + path;
}

function textOf(value: string | number | boolean | Date): string {
	return value instanceof Date ? value.toISOString().replace(/\.\d{3}Z$/, 'Z') : String(value);
}
