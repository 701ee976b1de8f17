import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from '@jest/globals';

import contract from '../lab/contract/inventory.json';
import type { ContractDocument, OutputSchema } from '../lab/outputSchema';
import { outputSchema } from '../lab/outputSchema';

const FOLDER = 'nodes/AgentInventory/__schema__/v1.0.0/property';
const root = join(__dirname, '..', '..');
const PRESENT = '.tmp/schemas';

const of = (name: string) => outputSchema(contract as ContractDocument, name);

/** What either of two kinds of items has. */
function merged(one: OutputSchema, other: OutputSchema): OutputSchema {
	return { type: 'object', properties: { ...one.properties, ...other.properties } };
}

test.each([
	['get', of('Item')],
	['getAll', of('Row')],
	['search', merged(of('Hit'), of('Row'))],
])('the output schema of “%s” is what the contract says', (operation, { type, ...schema }) => {
	const expected = { type, ...schema, version: 1 };
	mkdirSync(join(root, PRESENT), { recursive: true });
	writeFileSync(
		join(root, PRESENT, `${operation}.json`),
		`${JSON.stringify(expected, null, '\t')}\n`,
	);

	const present: unknown = JSON.parse(
		readFileSync(join(root, FOLDER, `${operation}.json`), 'utf8'),
	);

	// To take over what the contract says now: cp .tmp/schemas/*.json into the folder, then npm run format.
	expect(present).toEqual(expected);
});
