import { readdirSync } from 'node:fs';

import { expect, it } from '@jest/globals';

import { n8n } from '../../../package.json';
import { root } from '../../lab/paths';

it('n8n gets every node and credential that there is', () => {
	const files = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
			.filter((file) => /\.(node|credentials)\.ts$/.test(file))
			.map((file) => `dist/${folder}/${file.replace(/ts$/, 'js')}`),
	);

	expect([...n8n.nodes, ...n8n.credentials].sort()).toEqual(files.sort());
});
