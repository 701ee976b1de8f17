/**
 * What a person has to do about an error, in a word. Each is an entry of docs/troubleshooting.md, and of our
 * contract: workflows compare it, so none changes its meaning or its name.
 */
export const ERROR_CODES = [
	// The service, and the way to it
	'busy',
	'serviceFault',
	'noAnswer',
	'unreachable',
	'certificate',
	'wrongAddress',
	'unreadableAnswer',
	// The credential
	'credentialField',
	'credentialRefused',
	'tokenRefused',
	'secretUnreadable',
	'secretFaulty',
	'wrongKey',
	'passphrase',
	// A request
	'forbidden',
	'badRequest',
	'notFound',
	'field',
	// An order
	'listingUnknown',
	'listingNotReady',
	'listingNotEligible',
	'orderNotAllowed',
	'orderFields',
	'orderFailed',
	'orderNotSent',
	'orderUnknown',
	'highlightsNotChanged',
	// A trigger
	'nothingToShow',
	'nothingSent',
	'runFailed',
	'runNotStarted',
	'progressUnreadable',
	'pushRefused',
	'n8nTooOld',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

const ENTRIES =
	'https://github.com/agent-integration/n8n-nodes-agent-integration/blob/main/docs/troubleshooting.md';

/** Where an error is explained. GitHub writes the anchors of headings in lower case. */
export function entryUrl(code: ErrorCode): string {
	return `${ENTRIES}#${code.toLowerCase()}`;
}
