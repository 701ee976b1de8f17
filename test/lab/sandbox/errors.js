// @ts-check
const { STATUS_CODES } = require('node:http');
const { json } = require('./http');

/** @typedef {import('./types').Answer} Answer */

/** Refusals of the leads API that come without a body. */
const BARE = [403, 429];

/**
 * Shape 1.
 *
 * @param {number} status
 * @param {string} message
 * @param {string | number} [code]
 * @returns {Answer}
 */
function leadsError(status, message, code = status * 10_000 + 1) {
	if (BARE.includes(status)) return { status, body: '' };
	return json(status, { errors: [{ message, code, links: [] }] });
}

/**
 * Shape 2.
 *
 * @param {number} status
 * @param {string} reason
 * @param {number} [code] seven digits
 * @returns {Answer}
 */
function productsError(status, reason, code = 1_010_000 + status) {
	return json(status, { errors: [{ reason, code }] });
}

/**
 * Shape 3.
 *
 * @param {number} status
 * @param {string} detail
 * @param {string} [instance]
 * @returns {Answer}
 */
function inventoryError(status, detail, instance = '/inventory') {
	const title = STATUS_CODES[status] ?? 'Error';
	const type = `https://example.com/problems/${status}`;
	return json(status, { type, title, status, detail, instance });
}

/**
 * RFC 6749 §5.2.
 *
 * @param {number} status
 * @param {string} error
 * @param {string} [description]
 * @returns {Answer}
 */
function tokenError(status, error, description) {
	return json(
		status,
		{ error, ...(description === undefined ? {} : { error_description: description }) },
		{
			'Cache-Control': 'no-store',
			...(status === 401 ? { 'WWW-Authenticate': 'Basic realm="token"' } : {}),
		},
	);
}

module.exports = { leadsError, productsError, inventoryError, tokenError };
