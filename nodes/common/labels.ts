import type { INodeProperties } from 'n8n-workflow';

/** The label of a field in the form, or the field itself. A test compares each label in this code with the forms. */
export type FieldLabel = string | Pick<INodeProperties, 'displayName'>;

/** A label in the quotation marks that sentences use. */
export function quoted(label: FieldLabel): string {
	return `“${typeof label === 'string' ? label : label.displayName}”`;
}
