import { join } from 'node:path';

import { jest } from '@jest/globals';
import type { ICredentialType, INodeType } from 'n8n-workflow';

import { n8n } from '../../package.json';
import { root } from './paths';

/** Every node and every credential that n8n gets of this package; test/unit/package/publishedTypes.test.ts sees that none is left out. */
export const NODES = n8n.nodes.map((file) => published<INodeType>(file));
export const CREDENTIALS = n8n.credentials.map((file) => published<ICredentialType>(file));

/** @param file of the built package, as package.json names it */
function published<T>(file: string): T {
	const source = join(root, file.replace(/^dist\/|\.js$/g, ''));
	const [Type] = Object.values(jest.requireActual<Record<string, new () => T>>(source));
	if (!Type) throw new Error(`${file} exports nothing`);
	return new Type();
}
