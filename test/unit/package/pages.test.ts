import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { PAGES_URL, root } from '../../lab/paths';

/** A link to a page of this repository. */
interface Link {
	url: string;
	/** What it leads to, from the root of the repository. */
	path: string;
	anchor?: string;
}

function read(file: string): string {
	return readFileSync(join(root, file), 'utf8');
}

/** The files through which n8n leads people to the pages. */
function linkingFiles(): string[] {
	return ['nodes', 'credentials']
		.flatMap(filesIn)
		.filter((file) => /\.node\.json$|\.credentials\.ts$/.test(file));
}

function filesIn(folder: string): string[] {
	return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
		(file) => `${folder}/${file}`,
	);
}

function linksOf(file: string): Link[] {
	const urls = [...read(file).matchAll(/https?:\/\/[^\s'"`$]+/g)].map(([url]) => url);
	return urls
		.filter((url) => url.startsWith(PAGES_URL))
		.map((url) => {
			const [path = '', anchor] = url.slice(PAGES_URL.length).split('#');
			return { url, path, anchor };
		});
}

/** Whether there is such a page, and such a place on it. */
function isThere({ path, anchor }: Link): boolean {
	if (!existsSync(join(root, path))) return false;
	return anchor === undefined || anchorsOf(read(path)).has(anchor);
}

/** What GitHub makes of the headings. */
function anchorsOf(markdown: string): Set<string> {
	const headings = [...markdown.matchAll(/^#{1,6} +(.+?) *$/gm)];
	return new Set(headings.map(([, heading = '']) => slugOf(heading)));
}

function slugOf(heading: string): string {
	return heading
		.toLowerCase()
		.replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
		.replace(/ /g, '-');
}

// `npm run lint:links` follows the links of the pages themselves.
describe('the links of nodes and credentials', () => {
	it.each(linkingFiles())('lead to a page and a place on it: %s', (file) => {
		const links = linksOf(file);

		expect(links.length).toBeGreaterThan(0);
		expect(links.filter((link) => !isThere(link)).map(({ url }) => url)).toEqual([]);
	});
});
