import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../paths';

export interface Manifest {
	version: string;
	author: { name: string; email: string };
	n8n: { nodes: string[]; credentials: string[] };
}

/** The package.json of this package, as it lies in a folder. */
export function readManifest(dir = root): Manifest {
	return JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as Manifest;
}

/** What the built files of nodes or credentials are called in n8n: the class in each, with a small letter. */
export function namesOf(files: string[]): string[] {
	return files.map((file) => {
		const name = basename(file).split('.')[0] ?? '';
		return name.charAt(0).toLowerCase() + name.slice(1);
	});
}
