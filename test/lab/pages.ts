import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { root } from './paths';

/** Where the pages are read; links there lead into the branch `main`. */
const ON_GITHUB = 'https://github.com/agent-integration/n8n-nodes-agent-integration/blob/main/';

const ROOMS = ['bench', 'credentials', 'examples', 'nodes', 'service', 'soak', 'test'];

/** A link of a file to something of this repository. */
export interface Link {
	file: string;
	/** As it is written. */
	target: string;
	/** What it leads to, from the root of the repository. */
	path: string;
	anchor?: string;
}

export function read(file: string): string {
	return readFileSync(join(root, file), 'utf8');
}

/** As `wc -w` counts. */
export function countWords(text: string): number {
	return text.split(/\s+/).filter((word) => word !== '').length;
}

/** All pages of docs/, from the root of the repository. */
export function docs(): string[] {
	return filesIn('docs').filter((file) => /^docs\/[^/]+\.md$/.test(file));
}

/** The files whose links lead people or n8n to the pages. */
export function linkingFiles(): string[] {
	const ofRooms = ROOMS.flatMap(filesIn).filter((file) =>
		/\/README\.md$|\.node\.json$|\.credentials\.ts$/.test(file),
	);
	return ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...docs(), ...ofRooms];
}

function filesIn(folder: string): string[] {
	return readdirSync(join(root, folder), { withFileTypes: true })
		.filter(({ name }) => name !== 'node_modules')
		.flatMap((entry) => {
			const path = `${folder}/${entry.name}`;
			return entry.isDirectory() ? filesIn(path) : [path];
		});
}

export function linksOf(file: string): Link[] {
	const text = read(file);
	const targets = file.endsWith('.md') ? targetsIn(withoutCode(text)) : urlsIn(text);
	return targets
		.filter((target) => target.startsWith(ON_GITHUB) || !/^[a-z]+:/.test(target))
		.map((target) => {
			const [path = '', anchor] = target.replace(ON_GITHUB, '').split('#');
			const from = target.startsWith(ON_GITHUB) ? '' : dirname(file);
			return { file, target, path: path === '' ? file : join(from, path), anchor };
		});
}

/** Of a file that is no page, such as what n8n shows of a node. */
function urlsIn(text: string): string[] {
	return [...text.matchAll(/https?:\/\/[^\s'"`$]+/g)].map(([url]) => url);
}

/** Of links and pictures, in brackets or as HTML. */
function targetsIn(markdown: string): string[] {
	const links = markdown.matchAll(
		/\]\(<?([^\s)>]+)>?(?: "[^"]*")?\)|<(?:a|img)\s[^>]*(?:href|src)="([^"]+)"/g,
	);
	return [...links].map(([, inBrackets, inTag]) => inBrackets ?? inTag ?? '');
}

function withoutCode(markdown: string): string {
	return markdown.replace(/^ *(```|~~~)[^]*?^ *\1$/gm, '').replace(/`[^`\n]*`/g, '');
}

/** Whether there is such a file or folder, and such a place in it. */
export function isThere({ path, anchor }: Link): boolean {
	if (!existsSync(join(root, path))) return false;
	if (anchor === undefined) return true;
	const isPage = statSync(join(root, path)).isFile() && path.endsWith('.md');
	return isPage && anchorsOf(read(path)).has(anchor.toLowerCase());
}

/** What GitHub makes of the headings, and the ids that the page gives itself. */
export function anchorsOf(markdown: string): Set<string> {
	const anchors = new Set<string>();
	const text = markdown.replace(/^ *(```|~~~)[^]*?^ *\1$/gm, '');
	for (const [, heading = ''] of text.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
		const slug = slugOf(heading);
		let anchor = slug;
		for (let times = 1; anchors.has(anchor); times++) anchor = `${slug}-${times}`;
		anchors.add(anchor);
	}
	for (const [, id = ''] of text.matchAll(/<\w+\s[^>]*\b(?:id|name)="([^"]+)"/g))
		anchors.add(id.toLowerCase());
	return anchors;
}

function slugOf(heading: string): string {
	return heading
		.replace(/<[^>]+>/g, '')
		.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
		.toLowerCase()
		.replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
		.replace(/ /g, '-');
}
