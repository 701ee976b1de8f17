// docs/images/pictures.json: written by npm run pictures, and read by the test that compares.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { writePage } from '../markdown';
import { root } from '../paths';
import type { Fingerprints } from './fingerprints';

export const IMAGES = join(root, 'docs', 'images');
const RECORD = join(IMAGES, 'pictures.json');

/** What the command knew of a picture when it made it. */
export interface Taken {
	/** The picture's own, so that no other one takes its place. */
	file: string;
	shows: Fingerprints;
}

export type Pictures = Record<string, Taken>;

export function readRecord(): Pictures {
	return JSON.parse(readFileSync(RECORD, 'utf8')) as Pictures;
}

export function writeRecord(record: Pictures): void {
	const sorted = Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
	writePage(RECORD, JSON.stringify(sorted));
}

export function fileOf(name: string): string {
	return join(IMAGES, `${name}.png`);
}

export function fileFingerprint(picture: Uint8Array): string {
	return createHash('sha256').update(picture).digest('hex').slice(0, 16);
}
