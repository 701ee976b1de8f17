/**
 * The codes of errors. Each code has an entry in docs/troubleshooting.md. Workflows compare codes, so no code may
 * change its name or meaning.
 */
export const ERROR_CODES = [
	// Error codes for failures of the service, or of the connection to it
	'busy',
	'serviceFault',
	'noAnswer',
	'unreachable',
	'certificate',
	'wrongAddress',
	'unreadableAnswer',
	// Codes about the credential
	'credentialField',
	'credentialRefused',
	'tokenRefused',
	'secretUnreadable',
	'secretFaulty',
	'wrongKey',
	'passphrase',
	// Codes about a request
	'forbidden',
	'badRequest',
	'notFound',
	'field',
	// Codes about an order
	'listingUnknown',
	'listingNotReady',
	'listingNotEligible',
	'orderNotAllowed',
	'orderFields',
	'orderFailed',
	'orderNotSent',
	'orderUnknown',
	'highlightsNotChanged',
	// Codes about a trigger
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

/** Returns the URL of the documentation that explains an error. GitHub writes the anchors of headings in lower case. */
export function entryUrl(code: ErrorCode): string {
	return `${ENTRIES}#${code.toLowerCase()}`;
}
