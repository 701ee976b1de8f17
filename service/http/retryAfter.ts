import { DateTime } from 'luxon';

import { SECOND_MS } from '../basics/times';

/**
 * Reads the header Retry-After (RFC 9110 §10.2.3): whole seconds of up to 7 digits, or a date. The wait until a date is
 * counted from the Date header of the same answer, because the service's clock and this machine's clock may differ.
 *
 * @returns milliseconds to wait; undefined for any other value
 */
export function parseRetryAfter(value: string, serviceDate: string): number | undefined {
	const text = value.trim();
	if (/^\d{1,7}$/.test(text)) return Number(text) * SECOND_MS;
	const until = DateTime.fromHTTP(text);
	if (!until.isValid) return undefined;
	const serviceNow = DateTime.fromHTTP(serviceDate);
	return Math.max(0, until.diff(serviceNow.isValid ? serviceNow : DateTime.now()).toMillis());
}
