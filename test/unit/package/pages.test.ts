import { describe, expect, it } from '@jest/globals';

import {
	countWords,
	docs,
	isThere,
	linkingFiles,
	linksOf,
	otherPages,
	proseOf,
	read,
} from '../../lab/pages';

/** More than that is not read. */
const MOST_WORDS = { docs: 15_000, readme: 1_000, room: 1_200 };

describe('the pages', () => {
	it('in docs/ have few enough words together, as wc -w counts', () => {
		const words = docs().map((file) => [file, countWords(read(file))] as const);

		expect(words.length).toBeGreaterThan(10);

		const all = words.reduce((sum, [, count]) => sum + count, 0);

		expect({ all, words: all > MOST_WORDS.docs ? words : [] }).toEqual({
			all: expect.any(Number),
			words: [],
		});
	});

	it('begin with a README of few enough words', () => {
		expect(countWords(read('README.md'))).toBeLessThan(MOST_WORDS.readme);
	});

	it.each([...docs(), ...otherPages()])('have the apostrophes of a printed text: %s', (file) => {
		expect(proseOf(read(file)).match(/.*['"].*/g)).toBeNull();
	});

	it.each(['service/README.md', 'test/README.md'])('for engineers are short: %s', (file) => {
		expect(countWords(read(file))).toBeLessThanOrEqual(MOST_WORDS.room);
	});
});

// `npm run lint:links` follows the links of the pages themselves.
describe('the links of nodes and credentials', () => {
	it.each(linkingFiles())('lead to a page and a place on it: %s', (file) => {
		const links = linksOf(file);

		expect(links.length).toBeGreaterThan(0);
		expect(links.filter((link) => !isThere(link)).map(({ url }) => url)).toEqual([]);
	});
});
