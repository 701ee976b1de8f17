import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import type { INodeProperties } from 'n8n-workflow';

import {
	CREDENTIAL_LABELS,
	NODE_LABELS,
	OPTION_LABELS,
	SECRET_FORMATS,
} from '../../../../service/labels';
import { LABELS as PRODUCTS_LABELS } from '../../../../service/products/labels';
import { root } from '../../../lab/paths';
import { CREDENTIALS, NODES } from '../../../lab/publishedTypes';

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

const ofCredentials = CREDENTIALS.flatMap(({ properties }) => properties).flatMap(labelsIn);
const ofNodes = NODES.flatMap(({ description }) => description.properties).flatMap(labelsIn);

/** The first argument of what makes a FieldError, or reads a field and may make one, if it is a label in quotes. */
const LABEL =
	/\b(?:FieldError|quoted|wholeNumber|queryName|read[A-Z]\w*)\(\s*(?:context,\s*)?'([A-Z][^']*)'/g;

function labelsInCode(): string[] {
	const files = readdirSync(join(root, 'nodes'), { recursive: true, encoding: 'utf8' });
	return files
		.filter((file) => file.endsWith('.ts'))
		.flatMap((file) => [...readFileSync(join(root, 'nodes', file), 'utf8').matchAll(LABEL)])
		.map(([, label = '']) => label);
}

describe('the labels that messages name', () => {
	it('are found in the code', () => {
		expect(labelsInCode()).toEqual(expect.arrayContaining(['Period', 'Events', 'UPRN', 'Limit']));
	});

	it.each([
		...new Set(labelsInCode()),
		...Object.values({ ...NODE_LABELS, ...PRODUCTS_LABELS, ...OPTION_LABELS }),
	])('are those of fields: %s', (label) => {
		expect([...ofCredentials, ...ofNodes]).toContain(label);
	});

	it.each([...Object.values(CREDENTIAL_LABELS), ...Object.values(SECRET_FORMATS)])(
		'are those of credentials: %s',
		(label) => {
			expect(ofCredentials).toContain(label);
		},
	);
});
