import type { INodeProperties } from 'n8n-workflow';

/** What a field is called in the form, or the field itself. A test holds each label in this code against the forms. */
export type FieldLabel = string | Pick<INodeProperties, 'displayName'>;

/** A label as sentences name it. */
export function quoted(label: FieldLabel): string {
	return `“${typeof label === 'string' ? label : label.displayName}”`;
}
