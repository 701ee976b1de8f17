import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from '@jest/globals';
import upperFirst from 'lodash/upperFirst';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { FILTER_KINDS } from '../../../service/leads/leads';
import { CREDENTIALS, NODES } from '../../lab/publishedTypes';
import { PAGES_URL, root } from '../../lab/paths';

/** Those that n8n's own nodes are sorted into; its editor knows no other. */
const CATEGORIES = [
	'AI',
	'Analytics',
	'Communication',
	'Core Nodes',
	'Data & Storage',
	'Development',
	'Finance & Accounting',
	'Marketing',
	'Miscellaneous',
	'Productivity',
	'Sales',
	'Utility',
];

const nodes = NODES.map((node) => [node.description.name, node.description] as const);
const credentials = CREDENTIALS.map((credential) => [credential.name, credential] as const);
const parameters = [...nodes, ...credentials].flatMap(([name, { properties }]) =>
	properties.flatMap((property) => withNested(name, property)),
);

/** Where a parameter stands, and what it says. */
type Parameter = readonly [path: string, property: INodeProperties];

/** A parameter and all those within it. */
function withNested(owner: string, property: INodeProperties): Parameter[] {
	const path = `${owner} › ${property.displayName}`;
	const nested = (property.options ?? []).flatMap((option) => {
		if ('values' in option) return option.values;
		return 'type' in option ? [option] : [];
	});
	return [[path, property], ...nested.flatMap((each) => withNested(path, each))];
}

function optionsOf({ options = [] }: INodeProperties): INodePropertyOptions[] {
	return options.filter((option): option is INodePropertyOptions => 'value' in option);
}

/** What a person meets: the rest is n8n's to keep. */
const shown = parameters.filter(([, { type }]) => type !== 'hidden');

function those(of: (property: INodeProperties) => boolean): Parameter[] {
	const found = shown.filter(([, property]) => of(property));
	if (found.length === 0) throw new Error('A rule without anything to hold for');
	return found;
}

describe.each(
	nodes.filter(([, { properties }]) => properties.some(({ name }) => name === 'filterBy')),
)('the subtitle of %s', (_, { subtitle = '' }) => {
	const shown = (filterBy: string) =>
		String(
			runInNewContext(subtitle.slice('={{'.length, -'}}'.length), { $parameter: { filterBy } }),
		);

	it.each(FILTER_KINDS)('names the filter %s', (kind) => {
		expect(shown(kind)).toBe(`${shown('none')} by ${upperFirst(kind)}`);
	});
});

describe('a parameter', () => {
	it.each(those(({ type }) => type !== 'notice'))('%s says what it does', (_, property) => {
		const { name, displayName, description } = property;

		if (name === 'resource' || name === 'operation')
			for (const option of optionsOf(property)) expect(option.description).toMatch(/./);
		expect(description).toMatch(/./);
		expect(description?.toLowerCase()).not.toBe(displayName.toLowerCase());
	});

	const isTyped = ({ type, default: value, typeOptions }: INodeProperties) =>
		(type === 'string' || type === 'number') &&
		value === '' &&
		!(typeOptions?.password && !typeOptions.rows);

	it.each(those(isTyped))('%s shows an example of what to enter', (_, { placeholder }) => {
		expect(placeholder).toMatch(/^e\.g\. \S/);
	});

	const isList = ({ type }: INodeProperties) => type === 'collection' || type === 'fixedCollection';

	it.each(those(isList))('%s says what can be added', (_, { placeholder }) => {
		expect(placeholder).toMatch(/^Add [a-z]+$/);
	});

	it.each(those(({ type }) => type === 'dateTime'))(
		'%s says which time zone counts',
		(_, { hint }) => {
			expect(hint).toContain('time zone of the workflow');
		},
	);

	const UNIT = /\bhow many (seconds|minutes)\b(?!,)/i;

	it.each(those(({ type, description = '' }) => type === 'number' && UNIT.test(description)))(
		'%s shows its unit without a click',
		(_, { hint, description = '' }) => {
			expect(hint).toBe(`In ${UNIT.exec(description)?.[1]}`);
		},
	);

	it.each(those(({ name }) => name === 'filterBy'))(
		'%s shows when a choice is needed',
		(_, { hint }) => {
			for (const kind of FILTER_KINDS) expect(hint).toContain(kind);
		},
	);

	it.each(those(({ name }) => ['recentAmount', 'from'].includes(name)))(
		'%s shows how long leads are kept',
		(_, { hint }) => {
			expect(hint).toContain('30 days');
		},
	);
});

describe('an operation', () => {
	const spending = NODES.flatMap(({ description: { name, properties } }) =>
		properties
			.filter((property) => property.name === 'operation')
			.flatMap((property) =>
				optionsOf(property)
					.filter(({ description = '' }) => /\bspends\b/.test(description))
					.map((option) => [name, property, option, properties] as const),
			),
	);

	it.each(spending)(
		'of %s that spends money has a notice',
		(_, { displayOptions }, { value }, properties) => {
			const [resource] = displayOptions?.show?.resource ?? [];

			const notices = properties.filter(
				({ type, displayOptions: { show } = {} }) =>
					type === 'notice' &&
					show?.operation?.includes(value) &&
					(show.resource ?? [resource]).includes(resource),
			);

			expect(notices.map(({ displayName }) => displayName)).toEqual([
				expect.stringMatching(/spends one of your agency’s credits/),
			]);
		},
	);

	it('spends money where a listing is promoted, and only there', () => {
		expect(spending.map(([, , { value }]) => value)).toEqual(['activate', 'activate']);
	});
});

describe('a node', () => {
	it.each(nodes)('%s says what it does on the canvas', (_, description) => {
		expect(description.subtitle).toMatch(/^=\{\{.*\$parameter\[.*\}\}$/);
	});

	it.each(nodes)('%s is found by its category and other words', (name) => {
		const { node, categories, alias } = codexOf(name);

		expect(node).toBe(`n8n-nodes-agent-integration.${name}`);
		expect(categories.length).toBeGreaterThan(0);
		expect(CATEGORIES).toEqual(expect.arrayContaining(categories));
		expect(alias.length).toBeGreaterThan(3);
		expect(new Set(alias).size).toBe(alias.length);
	});

	it.each(nodes)('%s leads to its page and to that of its credential', (name) => {
		const { credentialDocumentation, primaryDocumentation } = codexOf(name).resources;

		expect([credentialDocumentation.length, primaryDocumentation.length]).toEqual([1, 1]);
		for (const { url } of [...credentialDocumentation, ...primaryDocumentation]) {
			expectPage(url);
		}
	});
});

it.each(credentials)('the credential %s leads to what is said of it', (_, credential) => {
	expectPage(credential.documentationUrl ?? '');
});

interface Codex {
	node: string;
	categories: string[];
	alias: string[];
	resources: Record<'credentialDocumentation' | 'primaryDocumentation', Array<{ url: string }>>;
}

function codexOf(node: string): Codex {
	const folder = node.charAt(0).toUpperCase() + node.slice(1);
	const file = join(root, 'nodes', folder, `${folder}.node.json`);
	return JSON.parse(readFileSync(file, 'utf8')) as Codex;
}

/** A page of this repository, and the heading in it that the address names. */
function expectPage(url: string): void {
	expect(url.startsWith(PAGES_URL)).toBe(true);
	const [file = '', anchor] = url.slice(PAGES_URL.length).split('#');
	const headings = [...readFileSync(join(root, file), 'utf8').matchAll(/^#+ (.+)$/gm)];
	const anchors = headings.map(([, heading = '']) => anchorOf(heading));
	if (anchor !== undefined) expect(anchors).toContain(anchor);
}

/** As GitHub makes it of a heading. */
function anchorOf(heading: string): string {
	return heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N} _-]/gu, '')
		.replace(/ /g, '-');
}
