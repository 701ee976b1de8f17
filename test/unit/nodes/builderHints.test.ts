import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { root } from '../../lab/paths';
import { NODES } from '../../lab/publishedTypes';

const nodes = NODES.map(({ description }) => [description.name, description] as const);

/** The words of the documentation, of the output schemas, and of the nodes themselves without their hints. */
const WORDS = new Set(
	[
		...readdirSync(join(root, 'nodes'), { recursive: true, encoding: 'utf8' }).flatMap((file) =>
			/__schema__.+\.json$/.test(file) ? [`nodes/${file}`] : [],
		),
		...readdirSync(join(root, 'docs')).flatMap((page) =>
			page.endsWith('.md') ? [`docs/${page}`] : [],
		),
	]
		.map((file) => readFileSync(join(root, file), 'utf8'))
		.concat(
			JSON.stringify(
				NODES.map(({ description }) => description),
				withoutHints,
			),
		)
		.flatMap((text) => text.match(/\w+/g) ?? []),
);

function withoutHints(name: string, value: unknown): unknown {
	return name === 'builderHint' ? undefined : value;
}

/** All texts under a `builderHint`. */
function hintsIn(value: unknown, isHint = false): string[] {
	if (typeof value === 'string') return isHint ? [value] : [];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, part]) =>
		hintsIn(part, isHint || name === 'builderHint'),
	);
}

describe('the hints for n8n’s AI builder', () => {
	it.each(nodes)('of %s are plain data, as n8n stores and copies them', (_, description) => {
		expect(JSON.parse(JSON.stringify(description.builderHint))).toEqual(description.builderHint);
	});

	it.each(nodes)('of %s use no name that there is not', (_, description) => {
		const names = hintsIn(description).flatMap(
			(hint) => hint.match(/(?<![@\w])[a-z]+[A-Z]\w*/g) ?? [],
		);

		expect(names.filter((name) => !WORDS.has(name))).toEqual([]);
	});
});
