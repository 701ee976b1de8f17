import { STATUS_CODES } from 'node:http';

import { json } from './http';
import type { Answer } from './types';

/** The leads API refuses with these statuses without a body. */
const BARE = [403, 429];

/** The leads API's shape of a refusal. */
export function leadsError(
	status: number,
	message: string,
	code: string | number = status * 10_000 + 1,
): Answer {
	if (BARE.includes(status)) return { status, body: '' };
	return json(status, { errors: [{ message, code, links: [] }] });
}

/**
 * The products API's shape of a refusal.
 *
 * @param code seven digits
 */
export function productsError(status: number, reason: string, code = 1_010_000 + status): Answer {
	return json(status, { errors: [{ reason, code }] });
}

/** The inventory API's shape of a refusal. */
export function inventoryError(status: number, detail: string, instance = '/inventory'): Answer {
	const title = STATUS_CODES[status] ?? 'Error';
	const type = `https://example.com/problems/${status}`;
	return json(status, { type, title, status, detail, instance });
}

/** A token endpoint's shape of a refusal, by RFC 6749, 5.2. */
export function tokenError(status: number, error: string, description?: string): Answer {
	return json(
		status,
		{ error, ...(description === undefined ? {} : { error_description: description }) },
		{
			'Cache-Control': 'no-store',
			...(status === 401 ? { 'WWW-Authenticate': 'Basic realm="token"' } : {}),
		},
	);
}
