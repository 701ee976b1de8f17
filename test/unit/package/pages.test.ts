import { describe, expect, it } from '@jest/globals';

import { isThere, linkingFiles, linksOf } from '../../lab/pages';

// `npm run lint:links` follows the links of the pages themselves.
describe('the links of nodes and credentials', () => {
	it.each(linkingFiles())('lead to a page and a place on it: %s', (file) => {
		const links = linksOf(file);

		expect(links.length).toBeGreaterThan(0);
		expect(links.filter((link) => !isThere(link)).map(({ url }) => url)).toEqual([]);
	});
});
