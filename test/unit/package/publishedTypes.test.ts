import { expect, it } from '@jest/globals';

import { n8n } from '../../../package.json';
import { CREDENTIALS, NODES } from '../../lab/publishedTypes';

it('n8n gets every node and credential that the tests know', () => {
	const classes = [...NODES, ...CREDENTIALS].map((each) => each.constructor.name);

	const published = [...n8n.nodes, ...n8n.credentials].map((file) =>
		file.replace(/^.*\/(\w+)\.(node|credentials)\.js$/, '$1'),
	);

	expect(published.sort()).toEqual(classes.sort());
});
