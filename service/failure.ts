import type { IDataObject, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, UserError } from 'n8n-workflow';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What went wrong, by what a person can do about it. */
export type FailureKind =
	/** 429: the service asks for patience. */
	| 'busy'
	/** 5xx, no connection, a connection lost, no answer in time, an answer cut short. */
	| 'unavailable'
	/** A field of the credential is unusable, or the pair, the audience or the token was refused. */
	| 'credential'
	/** A 403 that a new token does not cure. */
	| 'forbidden'
	/** 400, 404, 413 …: the service understood and said no. */
	| 'rejected'
	/** There is nothing with this ID. */
	| 'missing'
	/** The service took the order and could not fulfil it. */
	| 'failed'
	/** An answer that is not this service's: a web page, a redirect, another shape. */
	| 'foreign';

/** Which request failed: the one for a token or the one for data. */
export type Step = 'token' | 'data';

/** One of the service's APIs, each with a credential of its own. */
export type Api = 'leads' | 'inventory' | 'products';

/** A 404 with the service's own problem, with nothing, with a web page, or with something else. */
export type NotFound = 'problem' | 'bare' | 'page' | 'other';

export interface FailureDetails {
	api?: Api;
	step?: Step;
	/** HTTP status, where there was an answer. */
	status?: number;
	/** The service's own code, as text. */
	code?: string;
	/** The service's own words, without secrets. */
	reason?: string;
	/** The wait that the service asked for, in milliseconds; see `parseRetryAfter`. */
	retryAfterMs?: number;
	/** What a 404 came with. */
	notFound?: NotFound;
	/** Whether the request surely never reached the service. */
	isUnsent?: boolean;
	/** What to do next, where more is known than the kind of the failure tells. */
	remedy?: string;
	/** What else there is to know, after what to do. */
	aside?: string;
}

/**
 * A failure of the service in this package's terms. It holds no request, so neither a secret nor a
 * token travels in it.
 */
export class ServiceError extends UserError {
	/** How often the request was sent, once nobody will send it again. */
	tries?: number;

	/** All waits between the tries together, in milliseconds. */
	waitedMs = 0;

	constructor(
		readonly kind: FailureKind,
		message: string,
		readonly details: FailureDetails = {},
	) {
		super(message);
	}

	/** Whether the same request may succeed a little later. */
	get isTransient(): boolean {
		return this.kind === 'busy' || this.kind === 'unavailable';
	}

	/** Whether its repeats are over: a request for data does not repeat those for its token. */
	get isFinal(): boolean {
		return this.tries !== undefined;
	}

	/** The same, with what was asked for in front: “Applicant leads of branch 10234”. */
	about(subject: string): ServiceError {
		return this.with(`${subject}: ${this.message}`, {});
	}

	/** The same in other words, with more details. */
	with(message: string, details: FailureDetails): ServiceError {
		const changed = new ServiceError(this.kind, message, { ...this.details, ...details });
		return this.tries === undefined ? changed : changed.afterTries(this.tries, this.waitedMs);
	}

	afterTries(tries: number, waitedMs: number): this {
		this.tries = tries;
		this.waitedMs = waitedMs;
		return this;
	}
}

/**
 * What some work came to: its value, or the service's failure. Whatever else went wrong is thrown. With it no
 * `catch` of ours throws what it caught, which n8n's lint rules (`require-node-api-error`) forbid.
 */
export async function orFailure<T>(work: Promise<T>): Promise<T | ServiceError> {
	return await work.catch((error: unknown) => {
		if (error instanceof ServiceError) return error;
		throw error;
	});
}

/** Where an error comes up: for an input item, or in a poll, which n8n repeats by itself. */
export interface Occasion {
	itemIndex?: number;
	isPoll?: boolean;
	/** Whether n8n shows the message alone, as it does when a workflow cannot be activated. */
	isMessageOnly?: boolean;
}

/**
 * The error a person meets in n8n: what happened, what to do next, the service's own words and
 * code. It declares to newer n8n versions whether waiting helps (`failure`); older ones ignore that.
 */
export function toNodeError(
	node: INode,
	error: ServiceError,
	{ itemIndex, isPoll = false, isMessageOnly = false }: Occasion = {},
): NodeApiError {
	const cause = Object.assign(
		new ServiceError(error.kind, error.message, error.details),
		responseOf(error.details),
	);
	const explanation = sentences(
		serviceWords(error.details),
		effort(error),
		isPoll ? pollAdvice(error) : advice(error),
		error.details.aside ?? '',
	);
	const nodeError = new NodeApiError(node, cause as unknown as JsonObject, {
		message: isMessageOnly ? `${error.message}. ${explanation}` : error.message,
		description: explanation,
		httpCode: error.details.status?.toString(),
		itemIndex,
	});
	return Object.assign(nodeError, { failure: declaration(error) });
}

/**
 * Status and Retry-After where n8n's own errors have them. Only an error on its way out has them:
 * n8n takes a 401 at this place for its own token's and asks for another one.
 */
function responseOf({ status, retryAfterMs }: FailureDetails): { response?: IDataObject } {
	if (status === undefined) return {};
	const headers =
		retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };
	return { response: { status, headers } };
}

/** The whole message for a person who tests a credential and has its fields in front of them. */
export function describeTestFailure(error: ServiceError): string {
	return sentences(
		`${error.message}.`,
		serviceWords(error.details),
		effort(error),
		error.details.remedy ?? testAdvice(error),
	);
}

function testAdvice({ kind, details }: ServiceError): string {
	return kind === 'forbidden' ? FORBIDDEN_TEST_ADVICE[details.api ?? 'leads'] : TEST_ADVICE[kind];
}

const FORBIDDEN_TEST_ADVICE: Record<Api, string> = {
	leads: 'Ask the operator of the service to allow this client to read leads.',
	inventory:
		'Check the AgencyRef; if it is right, ask the operator of the service to allow this client that agency.',
	products: 'Ask the operator of the service to allow this client the products of your contract.',
};

const TEST_ADVICE: Record<Exclude<FailureKind, 'forbidden'>, string> = {
	busy: 'Try again in a minute.',
	unavailable: 'Check the address; if it is right, try again in a minute.',
	credential: 'Compare the fields with what the operator sent you.',
	rejected: 'Check the address.',
	missing: 'Check the address.',
	failed: 'Check the address.',
	foreign: 'Check the address: it may lead to a website, a login page or a proxy.',
};

function sentences(...parts: string[]): string {
	return parts.filter(Boolean).join(' ');
}

/** A wait as a person says it, never shorter than it is. */
function waiting(ms: number): string {
	const [unitMs, unit] =
		ms <= 3 * MINUTE_MS
			? [1_000, 'second']
			: ms < HOUR_MS
				? [MINUTE_MS, 'minute']
				: [HOUR_MS, 'hour'];
	const count = Math.ceil(ms / unitMs);
	return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function declaration(error: ServiceError) {
	const { retryAfterMs } = error.details;
	switch (error.kind) {
		case 'busy':
			return { cause: 'rate-limited', ...(retryAfterMs !== undefined && { retryAfterMs }) };
		case 'unavailable':
			return {
				cause: 'temporarily-unavailable',
				...(retryAfterMs !== undefined && { retryAfterMs }),
			};
		case 'credential':
		case 'forbidden':
			return { cause: 'credential-invalid' };
		case 'rejected':
		case 'missing':
		case 'failed':
		case 'foreign':
			return { cause: 'configuration-invalid' };
	}
}

function serviceWords({ reason, code }: FailureDetails): string {
	if (reason && code) return `The service says: “${reason}” (code ${code}).`;
	if (reason) return `The service says: “${reason}”.`;
	return code ? `The service’s code is ${code}.` : '';
}

function effort({ tries, waitedMs, isTransient }: ServiceError): string {
	if (!isTransient || tries === undefined) return '';
	if (tries === 1) return 'It was tried once.';
	return `It was tried ${tries} times, with ${waiting(waitedMs)} of waiting.`;
}

const FORBIDDEN_ADVICE: Record<Api, string> = {
	leads: 'Ask the operator of the service to allow this client what the request asked for.',
	inventory:
		'Check the AgencyRef, in the options of this node or in the credential; if it is right, ask the operator of the service to allow this client that agency.',
	products:
		'Check that the listing is one of this agency; if it is, ask the operator of the service to allow this client the product and the listing.',
};

const REJECTED_ADVICE = 'Check the fields of this node.';

const CREDENTIAL_ADVICE = 'Open the credential, correct it and test it there.';

const REFUSED_TOKEN_ADVICE: Record<Api, string> = {
	leads:
		'Check that the audience in the credential belongs to this service, then test the credential.',
	inventory: CREDENTIAL_ADVICE,
	products:
		'Check that the scope in the credential is the one that the operator of the service gave you, then test the credential.',
};

const MISSING_ADVICE: Record<Api, string> = {
	leads: 'Check the ID.',
	inventory: 'Check the ID, and that the property belongs to the agency that the AgencyRef names.',
	products: 'Check the ID, and that it belongs to this product.',
};

/** A poll comes again by itself, and nothing is lost until then. */
function pollAdvice(error: ServiceError): string {
	switch (error.kind) {
		case 'busy':
			return 'n8n asks again automatically, and leads that come meanwhile are delivered then. If it happens often, poll less often.';
		case 'unavailable':
			return 'n8n asks again automatically, and leads that come meanwhile are delivered then. If it goes on, check the addresses in the credential and ask the operator of the service.';
		case 'credential':
		case 'forbidden':
		case 'rejected':
		case 'missing':
		case 'failed':
		case 'foreign':
			return `${advice(error)} Leads that come meanwhile are delivered once it works again.`;
	}
}

/** When a service that cannot answer may: one that names a wait beyond Max Wait is not asked a second time. */
function moment(retryAfterMs?: number): string {
	return retryAfterMs === undefined
		? 'Run the workflow again in a few minutes'
		: `The service asks to wait ${waiting(retryAfterMs)}: run the workflow again after that, or raise Max Wait in the options`;
}

function advice({ kind, details }: ServiceError): string {
	const { status, step, retryAfterMs, remedy } = details;
	if (remedy !== undefined) {
		return kind === 'credential' ? `${remedy} Then test the credential.` : remedy;
	}
	switch (kind) {
		case 'busy':
			return retryAfterMs === undefined
				? 'Run the workflow again in a few minutes; if it happens often, run it less often or raise Max Tries and Max Wait in the options.'
				: `${moment(retryAfterMs)}.`;
		case 'unavailable':
			return `${moment(retryAfterMs)}; if it goes on, check the addresses in the credential and ask the operator of the service.`;
		case 'credential':
			return step === 'data' ? REFUSED_TOKEN_ADVICE[details.api ?? 'leads'] : CREDENTIAL_ADVICE;
		case 'forbidden':
			return `${FORBIDDEN_ADVICE[details.api ?? 'leads']} A new token is tried every 5 minutes at most, and was not the cure.`;
		case 'rejected':
			return status === 404 ? 'Check the address in the credential.' : REJECTED_ADVICE;
		case 'missing':
			return MISSING_ADVICE[details.api ?? 'leads'];
		case 'failed':
			return 'Run the workflow again.';
		case 'foreign':
			return 'Check the address in the credential: it may lead to a website, a login page or a proxy instead of the service.';
	}
}
