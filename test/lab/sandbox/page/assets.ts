import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../../paths';
import type { Answer } from '../types';

const TYPES: Record<string, string> = {
	'page.css': 'text/css; charset=utf-8',
	'page.js': 'text/javascript; charset=utf-8',
};

/** @returns a file that the page loads */
export function asset(name: string): Answer | undefined {
	const type = TYPES[name];
	if (type === undefined) return undefined;
	const file = join(root, 'test', 'lab', 'sandbox', 'page', 'browser', name);
	return { status: 200, headers: { 'Content-Type': type }, body: readFileSync(file, 'utf8') };
}
