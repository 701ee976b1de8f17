import { describe, expect, it } from '@jest/globals';

import { placeholders } from '../../../scripts/lib/placeholders';

const READY = {
	manifest: {
		version: '1.2.3',
		author: { name: 'Ann Author', email: 'ann@agency.test' },
		repository: { url: 'git+https://github.com/ann/nodes.git' },
	},
	pages: {
		'CHANGELOG.md': '# Changelog\n\n## [1.2.3] - 2026-11-23\n\n## [1.2.2] - 2026-10-01\n',
		'README.md': 'Nodes for estate agents.\n',
		'vendor/README.txt': 'The source of this package, https://github.com/ann/nodes: …\n',
	},
	repository: 'ann/nodes',
};

describe('the release check', () => {
	it('finds nothing if all is filled in', () => {
		expect(placeholders(READY)).toEqual([]);
		expect(placeholders({ ...READY, repository: undefined })).toEqual([]);
	});

	it('refuses an invented author', () => {
		const author = { name: 'Ann Author', email: 'ann@example.com' };

		expect(placeholders({ ...READY, manifest: { ...READY.manifest, author } })).toEqual([
			'package.json: ann@example.com is not an address of the author.',
		]);
	});

	it('refuses the address of another repository, in package.json and beside the bundled library', () => {
		expect(placeholders({ ...READY, repository: 'bob/nodes' })).toEqual([
			'package.json: the repository is https://github.com/ann/nodes, but this is bob/nodes.',
		]);
		const pages = { ...READY.pages, 'vendor/README.txt': 'https://github.com/bob/nodes' };
		expect(placeholders({ ...READY, pages })).toEqual([
			'vendor/README.txt: does not name https://github.com/ann/nodes, where the source is.',
		]);
	});

	it.each([
		[
			'## [1.2.3] - not published yet',
			['CHANGELOG.md:1: ## [1.2.3] - not published yet', 'CHANGELOG.md: 1.2.3 has no date.'],
		],
		['## [1.2.3] - soon', ['CHANGELOG.md: 1.2.3 has no date.']],
		['## [1.2.2] - 2026-10-01', ['CHANGELOG.md: no entry for 1.2.3.']],
	])('refuses the changelog %s', (changelog, found) => {
		const pages = { ...READY.pages, 'CHANGELOG.md': changelog };

		expect(placeholders({ ...READY, pages })).toEqual(found);
	});

	it('refuses what is still to be written', () => {
		const pages = { ...READY.pages, 'README.md': 'Nodes.\n\nTODO: a picture\n' };

		expect(placeholders({ ...READY, pages })).toEqual(['README.md:3: TODO: a picture']);
	});
});
