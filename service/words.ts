import { Duration } from 'luxon';

import { SECOND_MS } from './basics/times';
import type { FailureDetails, FailureKind, RequestKind } from './failure';
import { ServiceError } from './failure';
import { OPTION_LABELS } from './labels';

/**
 * The sentences that people read about a failure: what happened, and what to do next. Sentences that are different for
 * each API are the `ApiWords` in the file `integration.ts` of each API. Sentences that only one API needs are in the
 * folder of that API.
 */

/** A message that says what happened, and the advice. */
export interface Words {
	message: string;
	remedy: string;
}

/** The label of the credential field that contains the address, for token requests and for data requests. */
export type AddressLabels = Record<RequestKind, string>;

/** The sentences that are different for each API. */
export interface ApiWords {
	/** The message if the service issues no token for this API to this client ID. */
	scopeRefused: Pick<Words, 'message'>;
	/** The advice if the API refuses a token, and then also a newly issued one. */
	tokenRefused: Pick<Words, 'remedy'>;
	forbidden: Words;
}

/** The sentences about one kind of failure. If a failure contains its own sentences, those are shown instead. */
interface KindWords {
	messages?: Record<string, string | ((value: never) => string)>;
	/** The advice for particular causes of this kind of failure, by name, if the usual advice does not fit them. */
	remedies?: Record<string, string>;
	/** What a person who runs a workflow can do about this kind of failure. */
	advice?: (details: FailureDetails) => string;
	/** The advice for a poll, which n8n repeats by itself. */
	pollAdvice?: string;
	/**
	 * The advice for a person who tests a credential. Its argument is the label of the field that contains the address.
	 */
	testAdvice?: (address: string) => string;
}

const POLLED_AGAIN =
	'n8n polls again automatically. What arrives in the meantime is delivered then.';

export const WORDS = {
	busy: {
		messages: {
			token: (status: number) => `The service is too busy to issue a token (${status})`,
			data: (status: number) => `The service is busy: too many requests (${status})`,
		},
		advice: ({ retryAfterMs }) =>
			retryAfterMs
				? `${whenToRun(retryAfterMs)}.`
				: `${whenToRun()}. If this happens often, run it less often or raise “${OPTION_LABELS.maxTries}” and “${OPTION_LABELS.maxWait}” in the options.`,
		pollAdvice: 'If this happens often, poll less often.',
		testAdvice: () => 'Try again in a minute.',
	},
	unavailable: {
		messages: {
			cannotAnswer: (status: number) => `The service cannot answer just now (${status})`,
			between: (status: number) =>
				`A proxy, gateway or firewall answered in place of the service (${status})`,
			cutShort: 'The service’s answer was cut short',
			late: 'The service did not answer in time',
			refusedConnection: 'The service refused the connection',
			lostConnection: 'The connection to the service was lost',
			unknownName: 'The server in the address does not exist',
			unreachable: 'The service cannot be reached',
		},
		remedies: {
			between:
				'Try again in a few minutes. If it continues, ask your n8n administrator which proxy or firewall is between n8n and the service, and the operator whether the service is up.',
		},
		advice: ({ retryAfterMs }) =>
			`${whenToRun(retryAfterMs)}. If it continues, check the addresses in the credential; if they are right, ask the operator of the service.`,
		pollAdvice:
			'If it continues, check the addresses in the credential; if they are right, ask the operator of the service.',
		testAdvice: (address) => `Check ${address}. If it is right, try again in a minute.`,
	},
	credential: {
		messages: {
			pairRefused: 'The service refused the client ID and client secret',
			noToken: (status: number) => `The service refused to issue a token (${status})`,
			tokenRefused: 'The service refused the access token, and a newly issued one as well (401)',
		},
		remedies: {
			pair: 'Compare both with what the operator sent you: leads, inventory and products each have their own.',
		},
		advice: () => 'Open the credential, correct it and test it there.',
		testAdvice: () => 'Compare the fields with what the operator sent you.',
	},
	/** There are no general sentences about refused access, because each API has its own. */
	forbidden: {},
	rejected: {
		messages: {
			refused: (status: number) => `The service refused the request (${status})`,
		},
		advice: ({ status }) =>
			status === 404
				? 'Check the address in the credential.'
				: 'Check the fields of this node. If you cannot tell which one is wrong, send this message to the operator of the service.',
		testAdvice: (address) => `Check ${address}.`,
	},
	/**
	 * There are no general sentences about a missing property or activation, because the code that creates such a
	 * failure adds its own.
	 */
	missing: {},
	failed: {
		advice: () => 'Run the workflow again.',
	},
	foreign: {
		messages: {
			webPage: 'The service answered with a web page instead of data',
			nothingThere: (status: number) => `The service found nothing at this address (${status})`,
			login: (status: number) =>
				`A proxy or network between n8n and the service asks for a login (${status})`,
			noJson: 'The service’s answer is not valid JSON',
			unknownShape: 'The service sent an answer that this node cannot read',
			elsewhere: (status: number) =>
				`The address redirects to another one (${status}), which the node does not follow`,
			noTokenService: (status: number) => `There is no token service at this address (${status})`,
			withoutToken: 'The service answered without a token',
			notSecure: (code: string) =>
				`No secure connection could be made (${code}): the service’s certificate may be expired, incomplete or for another name`,
		},
		remedies: {
			login: 'Ask your n8n administrator to let n8n reach the service through it.',
			noJson: 'Try again, or ask for less. If it continues, tell the operator of the service.',
		},
		advice: () =>
			'Check the address in the credential: it may lead to a website, a login page, a proxy or another API.',
		testAdvice: (address) =>
			`Check ${address}: it may lead to a website, a login page, a proxy or another API.`,
	},
} satisfies Record<FailureKind, KindWords>;

const BY_KIND: Record<FailureKind, KindWords> = WORDS;

/** Makes the error for a request whose answer did not arrive in time. */
export function lateAnswer(details: FailureDetails): ServiceError {
	const { late } = WORDS.unavailable.messages;
	return new ServiceError('unavailable', late, { ...details, helpCode: 'noAnswer' });
}

/** Makes the text that is shown below the message of an error, for a person who runs or publishes a workflow. */
export function explanationOf(error: ServiceError, isPoll: boolean): string {
	return sentences(
		error.details.cost,
		serviceWords(error.details),
		effort(error),
		isPoll ? pollAdvice(error) : advice(error),
		error.details.note,
	);
}

/**
 * Makes the full message for a person who tests a credential.
 *
 * @param labels the labels of the credential fields that contain the addresses
 */
export function describeTestFailure(error: ServiceError, labels: AddressLabels): string {
	const { requestKind, remedy } = error.details;
	const address = requestKind ? `“${labels[requestKind]}”` : 'the address';
	return sentences(
		`${error.message}.`,
		serviceWords(error.details),
		effort(error),
		remedy ?? BY_KIND[error.kind].testAdvice?.(address),
	);
}

function advice({ kind, details }: ServiceError): string | undefined {
	const { remedy, requestKind } = details;
	if (remedy === undefined) return BY_KIND[kind].advice?.(details);
	const isAboutField = kind === 'credential' && requestKind !== 'data';
	return isAboutField ? `${remedy} Then test the credential.` : remedy;
}

/** Makes the advice for a failed poll. The next poll asks for everything again, so nothing is lost until then. */
function pollAdvice(error: ServiceError): string {
	const { remedy = BY_KIND[error.kind].pollAdvice } = error.details;
	if (error.isTransient) return sentences(POLLED_AGAIN, remedy);
	return sentences(advice(error), 'What arrives in the meantime is delivered once it works again.');
}

function serviceWords({ reason, code }: FailureDetails): string {
	if (reason && code) return `The service says: “${reason}” (code ${code}).`;
	if (reason) return `The service says: “${reason}”.`;
	return code ? `The service’s code is ${code}.` : '';
}

function effort({ isTransient, details: { tries, waitedMs } }: ServiceError): string {
	// If a call received the failure of another call that ran at the same time, it made no tries itself, so the message
	// says nothing about tries.
	if (!isTransient || !tries) return '';
	if (tries === 1) return 'Tried once.';
	const pauses = waitedMs ? `, waiting ${waiting(waitedMs)} in total` : '';
	return `Tried ${tries} times${pauses}.`;
}

/**
 * Makes the advice about when to run the workflow again. If the service asked for a wait, the advice names this wait:
 * the node did not send the request again, because Max Wait or Max Tries did not allow it.
 */
function whenToRun(retryAfterMs?: number): string {
	return retryAfterMs
		? `The service asked for a wait of ${waiting(retryAfterMs)}. Run the workflow again after that, or raise “${OPTION_LABELS.maxTries}” and “${OPTION_LABELS.maxWait}” in the options`
		: 'Run the workflow again in a few minutes';
}

/** Writes a wait as a person says it, such as “1 minute, 30 seconds”, rounded up. */
function waiting(ms: number): string {
	const seconds = Math.ceil(ms / SECOND_MS);
	return Duration.fromObject({ seconds }, { locale: 'en-GB' }).rescale().toHuman();
}

function sentences(...parts: Array<string | undefined>): string {
	return parts.filter(Boolean).join(' ');
}
