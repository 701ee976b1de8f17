import type { Failure, IDataObject, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { FailureDetails, FailureKind } from '../../service/failure';
import { ServiceError } from '../../service/failure';
import { explanationOf } from '../../service/words';
import { FieldError } from './fieldError';

export type NodeError = NodeApiError | NodeOperationError;

/** Where an error comes up: for an input item, or in a poll, which n8n repeats by itself. */
export interface Occasion {
	itemIndex?: number;
	isPoll?: boolean;
	/** Whether n8n shows the message alone, as when a workflow cannot be activated, and to the model of an AI agent. */
	isMessageOnly?: boolean;
}

/**
 * An error of this package as a person meets it in n8n: what happened, and what to do next.
 *
 * @returns undefined for an error of anybody else
 */
export function asNodeError(
	node: INode,
	error: unknown,
	occasion: Occasion = {},
): NodeError | undefined {
	if (error instanceof ServiceError) return toNodeError(node, error, occasion);
	if (error instanceof FieldError) return toFieldNodeError(node, error, occasion);
	return undefined;
}

/** A failure of the service; the description has the service's own words and code as well. */
export function toNodeError(
	node: INode,
	error: ServiceError,
	{ itemIndex, isPoll = false, isMessageOnly = false }: Occasion = {},
): NodeApiError {
	const { message, details } = error;
	const description = explanationOf(error, isPoll);
	return new NodeApiError(node, nodeErrorCause(error), {
		message: isMessageOnly ? `${message}. ${description}` : message,
		description,
		httpCode: details.status?.toString(),
		itemIndex,
		failure: declarationOf(error),
	});
}

function toFieldNodeError(
	node: INode,
	{ message, remedy }: FieldError,
	{ itemIndex, isMessageOnly = false }: Occasion,
): NodeOperationError {
	return new NodeOperationError(node, isMessageOnly ? `${message}. ${remedy}` : message, {
		description: remedy,
		itemIndex,
		failure: WONT_PASS,
	});
}

/** Declares that polling again does not help. */
export const WONT_PASS: Failure = { cause: 'configuration-invalid' };

const CAUSES: Record<FailureKind, Failure['cause']> = {
	busy: 'rate-limited',
	unavailable: 'temporarily-unavailable',
	credential: 'credential-invalid',
	forbidden: 'credential-invalid',
	rejected: 'configuration-invalid',
	missing: 'configuration-invalid',
	failed: 'configuration-invalid',
	foreign: 'configuration-invalid',
};

/** Tells newer versions of n8n whether waiting helps; older ones ignore it. */
function declarationOf({ kind, details: { retryAfterMs } }: ServiceError): Failure {
	const cause = CAUSES[kind];
	const isTimed = cause === 'rate-limited' || cause === 'temporarily-unavailable';
	return isTimed && retryAfterMs !== undefined ? { cause, retryAfterMs } : { cause };
}

/**
 * The failure with its status and Retry-After where n8n's own errors have them. Only an error on its way out
 * has them there: otherwise n8n would take a 401 for one about its own token and ask for another token.
 */
function nodeErrorCause({ kind, message, details }: ServiceError): JsonObject {
	const cause = new ServiceError(kind, message, details);
	return Object.assign(cause, responseOf(details)) as unknown as JsonObject;
}

function responseOf({ status, retryAfterMs }: FailureDetails): { response?: IDataObject } {
	if (status === undefined) return {};
	const headers =
		retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };
	return { response: { status, headers } };
}
