import { expect, it } from '@jest/globals';

import { readManifest } from '../../lab/proof/manifest';
import { CREDENTIALS, NODES } from '../../lab/publishedTypes';

it('n8n gets every node and credential that the tests know', () => {
	const { n8n } = readManifest();
	const classes = [...NODES, ...CREDENTIALS].map((each) => each.constructor.name);

	const published = [...n8n.nodes, ...n8n.credentials].map((file) =>
		file.replace(/^.*\/(\w+)\.(node|credentials)\.js$/, '$1'),
	);

	expect(published.sort()).toEqual(classes.sort());
});
