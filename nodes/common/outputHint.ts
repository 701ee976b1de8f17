import type { IBuilderHintVariation, IParameterBuilderHint } from 'n8n-workflow';

/** As much of JSON Schema as the files in `__schema__` hold. */
interface OutputSchema {
	type: string | string[];
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
}

/** For the field that decides whether the output is as these hints say. */
export const simplifyHint: IParameterBuilderHint = {
	propertyHint:
		'Keep it on: @output lists the simplified fields. Raw ones are nested and named otherwise.',
};

/**
 * The fields of an output, for n8n's AI builder: it does not read the `__schema__` of a community node. They are a
 * TypeScript type in the comments of the type definition that n8n makes of the node.
 *
 * @param notes what to know of the fields beside their types
 */
export function outputHint(schema: OutputSchema, notes: string[] = []): IBuilderHintVariation {
	return { content: [`@output ${typeOf(schema)}`, ...notes].join('\n') };
}

/** The same for a node with operations. */
export function outputHints(
	schemas: Record<string, Record<string, OutputSchema>>,
	notes?: string[],
): IBuilderHintVariation[] {
	return Object.entries(schemas).flatMap(([resource, operations]) =>
		Object.entries(operations).map(([operation, schema]) => ({
			...outputHint(schema, notes),
			displayOptions: { show: { resource: [resource], operation: [operation] } },
		})),
	);
}

function typeOf({ type, properties, items }: OutputSchema): string {
	const names = [type].flat().map((name) => {
		if (name === 'object' && properties) return `{ ${membersOf(properties)} }`;
		if (name === 'array' && items) return `Array<${typeOf(items)}>`;
		return name;
	});
	return names.join(' | ');
}

function membersOf(properties: Record<string, OutputSchema>): string {
	return Object.entries(properties)
		.map(([name, schema]) => `${name}: ${typeOf(schema)}`)
		.join('; ');
}
