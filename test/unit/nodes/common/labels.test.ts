import { describe, expect, it } from '@jest/globals';
import type { INodeProperties } from 'n8n-workflow';

import { FIELD_LABELS } from '../../../../nodes/common/labels';
import { CREDENTIAL_LABELS, SECRET_FORMATS } from '../../../../service/labels';
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

describe('the labels that messages name', () => {
	it.each(FIELD_LABELS)('are those of fields: %s', (label) => {
		expect([...ofCredentials, ...ofNodes]).toContain(label);
	});

	it.each([...Object.values(CREDENTIAL_LABELS), ...Object.values(SECRET_FORMATS)])(
		'are those of credentials: %s',
		(label) => {
			expect(ofCredentials).toContain(label);
		},
	);
});
