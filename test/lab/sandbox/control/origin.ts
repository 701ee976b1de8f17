import type { IncomingHttpHeaders } from 'node:http';

const OWN_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Whether a request comes from the sandbox's own page, or from no page at all, as curl's do. A browser lets any
 * site send requests to this machine; it says which site, and the site cannot keep it from saying so.
 *
 * @param isRead a read has no effect, and no other site sees its answer: a link to the page may stand anywhere
 */
export function isOwn(headers: IncomingHttpHeaders, isRead: boolean): boolean {
	const { host = '', origin } = headers;
	// A site whose name leads to this machine would pass for the sandbox itself.
	if (!OWN_NAMES.includes(host.replace(/:\d+$/, ''))) return false;
	if (isRead) return true;
	const site = headers['sec-fetch-site'];
	if (site !== undefined) return site === 'same-origin';
	return origin === undefined || origin === `http://${host}`;
}
