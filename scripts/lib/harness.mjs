// @ts-check
import { load } from './compile.mjs';

/**
 * The tests' way to start and drive a real n8n. It is TypeScript, compiled here for use outside the test runner.
 * @returns {Promise<typeof import('../../test/lab/n8n/index.js')>}
 */
export async function loadHarness() {
	return await load('test/lab/n8n/index.ts');
}
