import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Icon, INode, INodeType } from 'n8n-workflow';

import { LEADS_INTEGRATION } from '../../../service/leads/integration';
import { inSpiteOfNewToken } from '../../../service/words';
import { PACKAGE_NAME } from '../n8n/installation';
import { readExample } from '../n8n/stage/examples';
import { root } from '../paths';
import { CREDENTIALS, NODES } from '../publishedTypes';
import type { Pictured } from './pictures';

/** For each thing that a picture shows, what it was like. */
export type Fingerprints = Record<string, string>;

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';

/** Members of a description that no picture shows: those that appear over a question mark, and those for programs. */
const NOT_SHOWN = new Set(['builderHint', 'codex', 'description', 'documentationUrl', 'routing']);

export function fingerprintsOf({
	panels = [],
	searched = [],
	forms = [],
	refusal = false,
	example,
}: Pictured): Fingerprints {
	const shown: Array<[what: string, content: unknown]> = [
		...panels.map((name): [string, unknown] => [`panel of ${name}`, panel(nodeOf(name))]),
		...searched.map((name): [string, unknown] => [`search for ${name}`, searchEntry(nodeOf(name))]),
		...forms.map((name): [string, unknown] => [`form of ${name}`, form(name)]),
	];
	if (refusal) shown.push(['words after a refusal', refusalWords()]);
	if (example !== undefined) shown.push([example, canvas(example)]);
	return Object.fromEntries(shown.map(([what, content]) => [what, fingerprint(content)]));
}

function fingerprint(shown: unknown): string {
	const text = JSON.stringify(shown, (key, value: unknown) =>
		NOT_SHOWN.has(key) ? undefined : value,
	);
	return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The icon, the parameters, and the columns of the output. */
function panel(node: INodeType): unknown[] {
	const { displayName, properties, hints, eventTriggerDescription } = node.description;
	return [displayName, icon(node), properties, hints, eventTriggerDescription, outputOf(node)];
}

function searchEntry(node: INodeType): unknown[] {
	const { displayName, description } = node.description;
	return [displayName, icon(node), [description], read(node, `${folderOf(node)}.node.json`)];
}

function form(name: string): unknown[] {
	const credential = CREDENTIALS.find((each) => each.name === name);
	if (!credential) throw new Error(`There is no credential ${name}`);
	return [credential.displayName, credential.properties];
}

function refusalWords(): string[] {
	const { message, remedy } = LEADS_INTEGRATION.words.forbidden;
	return [message, inSpiteOfNewToken(remedy)];
}

function canvas(file: string): unknown[] {
	const { name, nodes, connections } = readExample(file);
	const shown = nodes.filter(({ type }) => type !== STICKY_NOTE);
	return [name, shown, connections, shown.flatMap(ownIcon)];
}

function ownIcon({ type }: INode): unknown[] {
	const [owner, name = ''] = type.split('.');
	if (owner !== PACKAGE_NAME) return [];
	const node = nodeOf(name);
	return [icon(node), node.description.subtitle];
}

/** @throws Error if there is none */
export function nodeOf(name: string): INodeType {
	const node = NODES.find(({ description }) => description.name === name);
	if (!node) throw new Error(`There is no node ${name}`);
	return node;
}

function folderOf(node: INodeType): string {
	return node.constructor.name;
}

function icon(node: INodeType): string {
	return read(node, lightOf(node.description.icon).replace(/^file:/, ''));
}

function lightOf(icon: Icon | undefined): string {
	if (icon === undefined) throw new Error('A node without an icon');
	return typeof icon === 'string' ? icon : icon.light;
}

/** The schemas of what the node returns. */
function outputOf(node: INodeType): string[] {
	const folder = '__schema__';
	const files = readdirSync(join(root, 'nodes', folderOf(node), folder), {
		recursive: true,
		encoding: 'utf8',
	});
	return files
		.filter((file) => file.endsWith('.json'))
		.sort()
		.map((file) => read(node, join(folder, file)));
}

/** @param file as the folder of the node's sources sees it */
function read(node: INodeType, file: string): string {
	return readFileSync(join(root, 'nodes', folderOf(node), file), 'utf8');
}
