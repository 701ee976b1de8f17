import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020';
import pick from 'lodash/pick';
import type { INodeProperties } from 'n8n-workflow';

import { AgentInventory } from '../../../../nodes/AgentInventory/AgentInventory.node';
import { ROW_FIELDS } from '../../../../nodes/AgentInventory/fields';
import { propertyJson } from '../../../../nodes/common/inventory/simplifyProperty';
import { ON_THE_MARKET, STATUSES_ON_THE_MARKET } from '../../../../nodes/common/inventory/statuses';
import contract from '../../../lab/contract/inventory.json';
import { exampleItems } from '../../../lab/documentation';
import { root } from '../../../lab/paths';

/** As much of JSON Schema as n8n's editor reads. */
interface OutputSchema {
	type: string | string[];
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
}

/** A schema of the contract, or a reference to one. */
interface ContractSchema {
	$ref?: string;
	type?: string | string[];
	properties?: Record<string, ContractSchema>;
	items?: ContractSchema;
}

/** What a file of `contract/` holds of them. */
interface ContractDocument {
	components: { schemas: Record<string, ContractSchema> };
}

/**
 * A schema of the contract as n8n's editor takes it: without references, formats and lists of values,
 * which grow.
 */
function outputSchema(document: ContractDocument, name: string): OutputSchema {
	return converted(document, schemaOf(document, name));
}

function schemaOf({ components }: ContractDocument, name: string): ContractSchema {
	const schema = components.schemas[name];
	if (schema === undefined) throw new Error(`The contract has no ${name}`);
	return schema;
}

function converted(document: ContractDocument, schema: ContractSchema): OutputSchema {
	const { $ref, type, properties, items } = schema;
	if ($ref !== undefined) return outputSchema(document, $ref.replace(/^.*\//, ''));
	if (type === undefined) throw new Error(`No type: ${JSON.stringify(schema)}`);
	return {
		type: typeNames(type),
		...(properties && {
			properties: Object.fromEntries(
				Object.entries(properties).map(([name, field]) => [name, converted(document, field)]),
			),
		}),
		...(items && { items: converted(document, items) }),
	};
}

/** The editor knows no integers. */
function typeNames(type: string | string[]): string | string[] {
	if (Array.isArray(type)) return type.map((each) => (each === 'integer' ? 'number' : each));
	return type === 'integer' ? 'number' : type;
}

const FOLDER = 'nodes/AgentInventory/__schema__/v1.0.0';
const PRESENT = '.tmp/schemas';

/** What of a simplified property is no text. */
const TYPES: Record<string, string> = {
	...{ price: 'number', bedrooms: 'number', bathrooms: 'number' },
	archived: 'boolean',
};

const COLUMNS = Object.fromEntries(
	Object.keys(propertyJson({}, true)).map((name) => [
		name,
		{ type: [TYPES[name] ?? 'string', 'null'] },
	]),
);

const simplified: OutputSchema = { type: 'object', properties: COLUMNS };

const ofLead: OutputSchema = {
	type: 'object',
	properties: {
		matchedBy: { type: ['string', 'null'] },
		matchCount: { type: 'number' },
		...COLUMNS,
	},
};

it.each([
	['property/findForLead', ofLead],
	['property/get', simplified],
	['property/getAll', { ...simplified, properties: pick(COLUMNS, ROW_FIELDS.filter) }],
	['property/search', simplified],
	['branch/getAll', outputSchema(contract as ContractDocument, 'Branch')],
	['negotiator/getAll', outputSchema(contract as ContractDocument, 'Negotiator')],
])('the output schema of “%s” is what the contract says', (action, { type, ...schema }) => {
	const expected = { type, ...schema, version: 1 };
	const file = join(root, PRESENT, `${action}.json`);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, `${JSON.stringify(expected, null, '\t')}\n`);

	const present: unknown = JSON.parse(readFileSync(join(root, FOLDER, `${action}.json`), 'utf8'));

	// To take over what the contract says now: cp -r .tmp/schemas/* into the folder, then npm run format.
	expect(present).toEqual(expected);
});

it('what is simplified has the types of the schema', () => {
	const { Item, Rows } = contract.components.examples;
	const isAsSaid = new Ajv2020({ strict: false }).compile(simplified);

	for (const property of [Item.value, ...Rows.value.items]) {
		isAsSaid(propertyJson({ ...property }, true));
		expect(isAsSaid.errors ?? []).toEqual([]);
	}
});

it('what is on the market are words of the contract', () => {
	const { enum: words } = contract.components.schemas.Status;

	expect(words).toEqual(expect.arrayContaining(STATUSES_ON_THE_MARKET));
});

describe('the words of', () => {
	const enumOf = (name: 'Category' | 'RecordType' | 'Management' | 'Maintenance' | 'Status') =>
		contract.components.schemas[name].enum;

	const CASES: Array<[filter: string, words: string[]]> = [
		['category', enumOf('Category')],
		['recordType', enumOf('RecordType')],
		['managementType', enumOf('Management')],
		['maintenanceType', enumOf('Maintenance')],
		['status', enumOf('Status')],
	];

	it.each(CASES)('“%s” are those of the contract, in the node and the docs', (name, words) => {
		const page = readFileSync(join(root, 'docs', 'agent-inventory.md'), 'utf8');

		// “Unspecified” filters nothing: that is what a filter left out does.
		const choices = words.filter((word) => word !== 'Unspecified');

		for (const list of listsOf(name)) expect(list.sort()).toEqual([...choices].sort());
		expect(choices.filter((word) => !page.includes(`\`${word}\``))).toEqual([]);
	});

	/** The values of a filter, for each operation that has it. */
	function listsOf(name: string): unknown[][] {
		const lists = new AgentInventory().description.properties
			.filter((property) => property.name === 'filters')
			.flatMap(({ options = [] }) => options as INodeProperties[])
			.filter((filter) => filter.name === name)
			.map(({ options = [] }) => options.map((option) => 'value' in option && option.value))
			.map((values) => values.filter((value) => value !== ON_THE_MARKET));
		expect(lists.length).toBeGreaterThan(0);
		return lists;
	}
});

describe('the example items of the documentation', () => {
	const examples = exampleItems('agent-inventory');
	const ajv = addFormats(new Ajv2020({ strict: false }));
	ajv.addSchema(contract, 'inventory');

	it.each([
		[2, 'Hit'],
		[3, 'Row'],
		[4, 'Item'],
		[5, 'Branch'],
		[6, 'Negotiator'],
	] as const)('%i hold names, types and values of “%s” alone', (index, name) => {
		const item = examples[index]?.item ?? {};
		const isAsSaid = ajv.compile({ $ref: `inventory#/components/schemas/${name}` });

		isAsSaid(item);

		expect(isAsSaid.errors ?? []).toEqual([]);
		expect(Object.keys(item)).not.toEqual([]);

		const names = Object.keys(contract.components.schemas[name].properties);

		expect(Object.keys(item).filter((field) => !names.includes(field))).toEqual([]);
	});
});
