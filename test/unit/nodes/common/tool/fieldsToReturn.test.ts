import { expect, it } from '@jest/globals';
import type { IExecuteFunctions } from 'n8n-workflow';

import { readOutput } from '../../../../../nodes/common/tool/fieldsToReturn';

const ITEM = { name: 'Ann', email: 'ann@example.com', message: '', id: 'a1' };

it.each([
	[['name'], { name: 'Ann', id: 'a1' }],
	[['message'], { id: 'a1' }],
	[['*'], ITEM],
])('the fields %j leave the ID, with which a model can ask for more', (fieldsToReturn, seen) => {
	const values: Record<string, unknown> = { simplify: true, fieldsToReturn };
	const context = { getNodeParameter: (name: string) => values[name] };

	const output = readOutput(context as unknown as IExecuteFunctions, 0, Object.keys(ITEM));

	expect(output(ITEM)).toEqual(seen);
});
