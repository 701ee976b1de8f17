// @ts-check
import { webcrypto } from 'node:crypto';

/**
 * What the library in the bundle finds in place of the globals of a browser: n8n allows its
 * packages neither the global object nor timers nor `process`.
 */
export const host = {
	crypto: webcrypto,
	ReadableStream,
	TransformStream,
	WritableStream,
	navigator: { userAgent: '', hardwareConcurrency: 1 },
	/** @param {string} base64 */
	atob: (base64) => Buffer.from(base64, 'base64').toString('latin1'),
	/**
	 * Only used after a stream was cancelled, to let others go first.
	 *
	 * @param {() => void} callback
	 */
	setTimeout: (callback) => queueMicrotask(callback),
};
