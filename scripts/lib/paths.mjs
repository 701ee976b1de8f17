// @ts-check
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));
export const e2e = join(root, 'test', 'e2e');
export const scanner = join(root, 'scripts', 'scanner');

/** Other versions of n8n, each a package folder like `e2e`, by name. */
export const otherN8ns = ['oldest'].map((name) => join(root, 'test', 'proof', 'n8n', name));

/** Scratch space of the scripts; never committed. */
export const tmp = join(root, '.tmp');

/** Where `scripts/pack.mjs` leaves the package, for the scan, the tests and `npm start`. */
export const tarball = join(tmp, 'package.tgz');

/** Where `ensureQueueServices` notes the programs it found. */
export const queuePrograms = join(tmp, 'queue-programs.json');

/**
 * The package's own package.json, read afresh: scripts may run while it is being edited.
 * @returns {{ name: string, version: string, n8n: { nodes: string[], credentials: string[] } }}
 */
export function manifest() {
	return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
}
