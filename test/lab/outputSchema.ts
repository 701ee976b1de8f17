/** As much of JSON Schema as n8n's editor reads. */
export interface OutputSchema {
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
export interface ContractDocument {
	components: { schemas: Record<string, ContractSchema> };
}

/**
 * A schema of the contract as n8n's editor takes it: without references, formats and lists of values,
 * which grow.
 */
export function outputSchema(document: ContractDocument, name: string): OutputSchema {
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
