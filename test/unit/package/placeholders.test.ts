import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { placeholders, readPages } from '../../../scripts/lib/placeholders';
import { root } from '../../lab/paths';

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
			['CHANGELOG.md:1: “not published yet” is still there.', 'CHANGELOG.md: 1.2.3 has no date.'],
		],
		['## [1.2.3] - soon', ['CHANGELOG.md: 1.2.3 has no date.']],
		['## [1.2.2] - 2026-10-01', ['CHANGELOG.md: no entry for 1.2.3.']],
	])('refuses the changelog %s', (changelog, found) => {
		const pages = { ...READY.pages, 'CHANGELOG.md': changelog };

		expect(placeholders({ ...READY, pages })).toEqual(found);
	});

	it.each([
		['TODO: a picture', 'TODO'],
		['**Not published yet.** Install it from this folder.', 'Not published yet'],
		['The package is not\npublished yet.', 'not published yet'],
		['Once it is on npm, this is enough:', 'Once it is on npm'],
		['Once the repository is public, write there.', 'Once the repository is public'],
	])('refuses a page that says %j', (text, found) => {
		const pages = { ...READY.pages, 'README.md': `Nodes.\n\n${text}\n` };

		expect(placeholders({ ...READY, pages })).toEqual([`README.md:3: “${found}” is still there.`]);
	});
});

describe('the pages as they are', () => {
	const manifest = JSON.parse(
		readFileSync(join(root, 'package.json'), 'utf8'),
	) as typeof READY.manifest;
	const pages = readPages(root);
	const found = placeholders({ manifest, pages });
	const isPublished = !found.some((each) => each.startsWith('package.json: '));

	it('say that the package is not published wherever a reader would try and fail, as long as it is not', () => {
		const saying = Object.keys(pages).filter((file) =>
			found.some((each) => each.startsWith(`${file}:`)),
		);

		expect(saying).toEqual(
			isPublished
				? []
				: expect.arrayContaining([
						'README.md',
						'CHANGELOG.md',
						'CONTRIBUTING.md',
						'SECURITY.md',
						'docs/installation.md',
						'docs/troubleshooting.md',
						'docs/verification.md',
					]),
		);
	});

	it('show no badge, and no address of npm or the repository, before it opens', () => {
		const addresses = /img\.shields\.io|badge\.svg|npmjs\.com|github\.com\/agent-integration/;
		const showing = Object.keys(pages).filter(
			(file) => file.endsWith('.md') && addresses.test(pages[file] ?? ''),
		);

		expect(isPublished ? [] : showing).toEqual([]);
	});
});
