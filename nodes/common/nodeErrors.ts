import type { Failure, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { ErrorCode } from '../../service/errorCodes';
import { entryUrl } from '../../service/errorCodes';
import type { FailureKind } from '../../service/failure';
import { ServiceError } from '../../service/failure';
import { explanationOf } from '../../service/words';
import { FieldError } from './fieldError';
import { UnreadableProgress } from './storedValues';

export type NodeError = NodeApiError | NodeOperationError;

/** Where an error occurs, which may be an input item or a poll (n8n repeats polls by itself), and how n8n shows it. */
export interface Occasion {
	itemIndex?: number;
	isPoll?: boolean;
	/** Which parts of the error n8n shows, and whether it reads them as HTML. */
	shownAs?: ShownAs;
	/** The cause of the error in n8n's own terms, which tell n8n whether another poll could succeed. */
	failure?: Failure;
}

/**
 * The ways in which n8n shows an error. `panel`: n8n shows the message, and the description as HTML. `text`: n8n shows
 * the message and the description as plain text. `message`: n8n shows the message alone, for example if it cannot
 * publish a workflow, or to the model of an AI agent.
 */
export type ShownAs = 'panel' | 'text' | 'message';

/** An error in words: what happened, and what to do next. */
export interface Explanation {
	message: string;
	advice: string;
	code: ErrorCode;
}

/**
 * Turns an error of this package into the error that n8n shows, which says what happened and what to do next.
 *
 * @returns undefined for an error that this package did not create
 */
export function asNodeError(
	node: INode,
	error: unknown,
	occasion: Occasion = {},
): NodeError | undefined {
	if (error instanceof ServiceError) return toNodeError(node, error, occasion);
	const isOfPerson = error instanceof FieldError || error instanceof UnreadableProgress;
	if (!isOfPerson) return undefined;
	return toOperationError(node, error, { ...occasion, failure: WONT_PASS });
}

/** Makes the error for a failure of the service. The description also contains the service's own text and code. */
export function toNodeError(
	node: INode,
	error: ServiceError,
	{ itemIndex, isPoll = false, shownAs }: Occasion = {},
): NodeApiError {
	const { message, helpCode } = error;
	const explanation = { message, advice: explanationOf(error, isPoll), code: helpCode };
	const nodeError = new NodeApiError(node, error as unknown as JsonObject, {
		...textsOfError(explanation, shownAs),
		httpCode: error.details.status?.toString(),
		itemIndex,
		failure: declarationOf(error),
	});
	return withCode(nodeError, explanation.code);
}

/** Makes the end of a line in n8n's log: the code by which a person finds the failure in the documentation. */
export function inLog(code: ErrorCode): string {
	return `(code: ${code})`;
}

/** Makes the error for a failure that did not come from the service. */
export function toOperationError(
	node: INode,
	explanation: Explanation,
	{ shownAs, ...options }: Occasion = {},
): NodeOperationError {
	const { message, description } = textsOfError(explanation, shownAs);
	return withCode(
		new NodeOperationError(node, message, { ...options, description }),
		explanation.code,
	);
}

/** Adds the code of an error to the error's context, which n8n stores and passes to error workflows. */
function withCode<E extends NodeError>(error: E, code: ErrorCode): E {
	error.context.code = code;
	return error;
}

function textsOfError(
	explanation: Explanation,
	as: ShownAs = 'panel',
): { message: string; description: string } {
	const { message, advice, code } = explanation;
	const description = `${advice} See ${entryUrl(code)}`;
	// n8n's editor keeps the attributes `href` and `target` of a link, and removes others.
	const link = `<a href="${entryUrl(code)}" target="_blank">Troubleshooting: ${code}</a>`;
	switch (as) {
		case 'panel':
			return { message, description: `${asHtml(advice)} ${link}` };
		case 'text':
			return { message, description };
		case 'message':
			return { message: `${message}. ${description}`, description };
	}
}

/**
 * Escapes a text for HTML, because the service's text or a value from a field may contain characters that are not meant
 * as markup. Quotation marks are not escaped, so that the description is easy to read in an error workflow.
 */
function asHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * The cause, in n8n's own terms, of an error that a person has to correct. It tells n8n that another poll would fail
 * too.
 */
const WONT_PASS: Failure = { cause: 'configuration-invalid' };

/**
 * The temporary kinds of failure, with the words by which n8n knows them. A failure of any other kind lasts until a
 * person corrects its cause.
 */
const TIMED_CAUSES: Partial<Record<FailureKind, 'rate-limited' | 'temporarily-unavailable'>> = {
	busy: 'rate-limited',
	unavailable: 'temporarily-unavailable',
};

/** Translates a failure into n8n's own terms, which tell n8n whether waiting helps. */
function declarationOf({ kind, details: { retryAfterMs } }: ServiceError): Failure {
	const cause = TIMED_CAUSES[kind];
	if (cause) return { cause, retryAfterMs };
	const isCredential = kind === 'credential' || kind === 'forbidden';
	return isCredential ? { cause: 'credential-invalid' } : WONT_PASS;
}
