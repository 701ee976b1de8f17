import type { INodeProperties } from 'n8n-workflow';

/**
 * The label of a field in n8n's form, or the definition of the field. A test checks that each label that the nodes'
 * code names in a message occurs in a form.
 */
export type FieldLabel = string | Pick<INodeProperties, 'displayName'>;

/** Writes a label in the quotation marks that messages use. */
export function quoted(label: FieldLabel): string {
	return `“${typeof label === 'string' ? label : label.displayName}”`;
}
