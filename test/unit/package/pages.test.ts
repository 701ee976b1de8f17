import { describe, expect, it } from '@jest/globals';

import { anchorsOf, countWords, docs, isThere, linkingFiles, linksOf, read } from '../../lab/pages';

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

	it.each(['service/README.md', 'test/README.md'])('for engineers are short: %s', (file) => {
		expect(countWords(read(file))).toBeLessThanOrEqual(MOST_WORDS.room);
	});
});

describe('the links', () => {
	it.each(linkingFiles())('of %s lead to something', (file) => {
		const dead = linksOf(file).filter((link) => !isThere(link));

		expect(dead.map(({ target }) => target)).toEqual([]);
	});

	it('are found', () => {
		const links = linkingFiles().flatMap(linksOf);

		expect(links.filter(({ file }) => !file.endsWith('.md')).length).toBeGreaterThan(10);
		expect(links.filter(({ anchor }) => anchor !== undefined).length).toBeGreaterThan(20);
	});
});

describe('the anchors of a page', () => {
	it('are those that GitHub makes of its headings, and its own ids', () => {
		const page = [
			'# One: “two” `three` & four',
			'## Same',
			'<a id="Busy"></a>',
			'### Same',
			'```\n# no heading\n```',
			'## [A link](b.md)',
		].join('\n\n');

		expect([...anchorsOf(page)]).toEqual([
			'one-two-three--four',
			'same',
			'same-1',
			'a-link',
			'busy',
		]);
	});
});
