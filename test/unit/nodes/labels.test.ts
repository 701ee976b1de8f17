import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import type { INodeProperties } from 'n8n-workflow';

import { CREDENTIAL_LABELS, OPTION_LABELS, SECRET_FORMATS } from '../../../service/labels';
import { root } from '../../lab/paths';
import { CREDENTIALS, NODES } from '../../lab/publishedTypes';

const credentialLabels = new Set(
	CREDENTIALS.flatMap(({ properties }) => properties).flatMap(labelsIn),
);

const labels = new Set([
	...credentialLabels,
	...NODES.flatMap(({ description }) => description.properties).flatMap(labelsIn),
]);

/** A setting that n8n gives every node. */
const SETTINGS_OF_N8N = ['Retry On Fail'];

/** The label of a field, those of its choices and of the fields within it. */
function labelsIn({ displayName, options = [] }: INodeProperties): string[] {
	return [
		displayName,
		...options.flatMap((option) => {
			if ('values' in option) {
				const nested = option.values.flatMap(labelsIn);
				return [...nested, ...nested.map((label) => `${option.displayName} ${label}`)];
			}
			return 'type' in option ? labelsIn(option) : [option.name];
		}),
	];
}

/** The published sources without their comments. */
const sources = ['credentials', 'nodes', 'service'].flatMap((folder) =>
	readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => join(folder, file))
		.map((file) => {
			const lines = readFileSync(join(root, file), 'utf8').split('\n');
			return { file, code: lines.filter((line) => !/^\s*(\/\*|\*|\/\/)/.test(line)).join('\n') };
		}),
);

/** The labels that the messages of a source name, in quotation marks or as what an error is about. */
function namedIn(code: string): string[] {
	const quoted = code.matchAll(/“([A-Z][^“”$]*)”/g);
	const ofErrors = code.matchAll(/new FieldError\(\s*'([^']+)'/g);
	return [...quoted, ...ofErrors].map(([, label = '']) => label);
}

describe('the labels that messages name', () => {
	it.each(Object.values(CREDENTIAL_LABELS))('are those of a credential: %s', (label) => {
		expect(credentialLabels).toContain(label);
	});

	it.each(Object.values(SECRET_FORMATS))('are those of a choice: %s', (label) => {
		expect(credentialLabels).toContain(label);
	});

	it.each(Object.values(OPTION_LABELS))('are those of an option: %s', (label) => {
		expect(labels).toContain(label);
	});

	it('are those of fields, choices or settings in every sentence', () => {
		const known = new Set([...labels, ...SETTINGS_OF_N8N]);

		const missing = sources.flatMap(({ file, code }) =>
			namedIn(code)
				.filter((label) => !known.has(label))
				.map((label) => `${file}: ${label}`),
		);

		expect(missing).toEqual([]);
	});

	it('are found in sentences and in errors', () => {
		const code = "throw new FieldError('Unit', 'is unknown', 'Set “Search By” to “${by}”.');";

		expect(namedIn(code)).toEqual(['Search By', 'Unit']);
		expect(sources.flatMap(({ code }) => namedIn(code)).length).toBeGreaterThan(20);
	});
});
