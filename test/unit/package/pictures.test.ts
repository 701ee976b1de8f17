import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import type { INodeProperties } from 'n8n-workflow';

import { countWords } from '../../lab/pages';
import { root } from '../../lab/paths';
import { fingerprintsOf, nodeOf } from '../../lab/pictures/fingerprints';
import { PICTURE_NAMES, PICTURES } from '../../lab/pictures/pictures';
import { sizeOf } from '../../lab/pictures/png';
import { fileFingerprint, fileOf, IMAGES, readRecord } from '../../lab/pictures/record';

/** In dots, two for each pixel of n8n's editor: narrower is a part of a panel, wider cannot be read on a page. */
const WIDTHS = { least: 700, most: 2_700 };

const MOST_BYTES = 250_000;

/** Where pages are that may show a picture. */
const PAGES = ['.', 'docs'].flatMap((folder) =>
	readdirSync(join(root, folder))
		.filter((file) => file.endsWith('.md'))
		.map((file) => join(root, folder, file)),
);

/** What each page shows of the folder of pictures, by the name of the file. */
const SHOWN = PAGES.flatMap((page) => {
	const names = readFileSync(page, 'utf8').matchAll(/\bimages\/([\w-]+\.(?:png|svg))/g);
	return [...names].map(([, file = '']) => ({ page: relative(root, page), file }));
});

/** Fewer words do not tell a person who cannot see a picture what it shows. */
const LEAST_WORDS = 6;

/** What is read out instead of the pictures of a page. */
function alternativesOn(page: string): string[] {
	const pictures = readFileSync(page, 'utf8').matchAll(
		/!\[([^\]]*)\]\([^)]*\bimages\/|<img [^>]*\bimages\/[^>]*\balt="([^"]*)"/g,
	);
	return [...pictures].map(([, ofMarkdown, ofHtml]) => ofMarkdown ?? ofHtml ?? '');
}

const files = readdirSync(IMAGES).filter((file) => /\.(png|svg)$/.test(file));

describe('the pictures of the pages', () => {
	it('are all there', () => {
		expect(SHOWN.filter(({ file }) => !files.includes(file))).toEqual([]);
	});

	it('are all described', () => {
		const alternatives = PAGES.flatMap(alternativesOn);

		expect(alternatives).toHaveLength(SHOWN.length);
		expect(alternatives.filter((text) => countWords(text) < LEAST_WORDS)).toEqual([]);
	});

	it('are all shown on some page', () => {
		const shown = new Set(SHOWN.map(({ file }) => file));

		expect(files.filter((file) => !shown.has(file))).toEqual([]);
	});

	it('are those that npm run pictures takes, and no others', () => {
		const names = PICTURE_NAMES.map((name) => `${name}.png`);

		expect(files.filter((file) => file.endsWith('.png')).sort()).toEqual(names.sort());
		expect(Object.keys(readRecord()).sort()).toEqual([...PICTURE_NAMES].sort());
	});
});

describe('a picture of a panel', () => {
	const panels = ['agentLeads'];
	const [parameter] = nodeOf('agentLeads').description.properties;
	const changed = (change: Partial<INodeProperties>) => {
		if (!parameter) throw new Error('The node has no parameters');
		const before = { ...parameter };
		Object.assign(parameter, change);
		const fingerprints = fingerprintsOf({ panels });
		Object.assign(parameter, before);
		return fingerprints;
	};
	const now = fingerprintsOf({ panels });

	it('is old once a label has changed', () => {
		expect(changed({ displayName: 'Another Label' })).not.toEqual(now);
	});

	it('is not old once a text has changed that appears over a question mark', () => {
		expect(changed({ description: 'Another description' })).toEqual(now);
	});
});

describe.each(PICTURE_NAMES)('%s.png', (name) => {
	it(`shows what is there now; otherwise: npm run pictures -- --only ${name}`, () => {
		expect(readRecord()[name]?.shows).toEqual(fingerprintsOf(PICTURES[name]));
	});

	it('is the picture that was taken then', () => {
		expect(fileFingerprint(readFileSync(fileOf(name)))).toBe(readRecord()[name]?.file);
	});

	it('is sharp, not too wide, and small', () => {
		const { width, height } = sizeOf(readFileSync(fileOf(name)));

		expect([width % 2, height % 2]).toEqual([0, 0]);
		expect(width).toBeGreaterThanOrEqual(WIDTHS.least);
		expect(width).toBeLessThanOrEqual(WIDTHS.most);
		expect(statSync(fileOf(name)).size).toBeLessThanOrEqual(MOST_BYTES);
	});
});
