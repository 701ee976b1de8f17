import { DateTime } from 'luxon';

import { HOUR_MS, MINUTE_MS } from '../basics/times';

/** A longer wait is a mistake, and counts as the usual one. */
const LONGEST_RETRY_AFTER_MS = HOUR_MS;
const USUAL_RETRY_AFTER_MS = 15 * MINUTE_MS;

/**
 * Reads Retry-After (RFC 9110 §10.2.3), in seconds or as a date, of several in one header the longest. A date
 * counts from the service's own Date header, since its clock and ours may differ. A wait that no
 * service can mean, such as a moment since 1970, in milliseconds or before now, is a usual one.
 *
 * @returns milliseconds to wait, or undefined when the value is neither form
 */
export function parseRetryAfter(value = '', serviceDate?: string): number | undefined {
	const waits = value.split(BETWEEN_WAITS).flatMap((each) => waitIn(each, serviceDate) ?? []);
	if (waits.length === 0) return undefined;
	const longest = Math.max(...waits);
	return longest > LONGEST_RETRY_AFTER_MS ? USUAL_RETRY_AFTER_MS : longest;
}

/** A comma, but not the one within a date. */
const BETWEEN_WAITS = /,(?=\s*[-+]?[\d.]+\s*(?:,|$)|\s*[A-Za-z]+,)/;

function waitIn(value: string, serviceDate = ''): number | undefined {
	const text = value.trim();
	if (/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text)) {
		const seconds = Number(text);
		return seconds < 0 ? USUAL_RETRY_AFTER_MS : Math.ceil(seconds * 1_000);
	}
	const until = DateTime.fromHTTP(text);
	if (!until.isValid) return undefined;
	const serviceNow = DateTime.fromHTTP(serviceDate);
	return Math.max(0, until.diff(serviceNow.isValid ? serviceNow : DateTime.now()).toMillis());
}
