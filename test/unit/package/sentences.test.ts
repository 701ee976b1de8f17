import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from '@jest/globals';

import { root } from '../../lab/paths';

/** A text in single quotes or backticks, on one line or several. */
const LITERAL = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g;

const COMMENT = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm;

/** What a person may read: several words, the first of which has a capital or stands behind a value. */
const SENTENCE = /^(?:[A-Z“]|\$\{)\S*(?: \S+){2,}/;

function sentencesIn(file: string): string[] {
	const code = readFileSync(join(root, file), 'utf8').replace(COMMENT, '');
	const texts = [...code.matchAll(LITERAL)].map(([, quoted, template]) => quoted ?? template ?? '');
	return texts.filter((text) => SENTENCE.test(text));
}

it('each sentence that a person may read is reviewed here: a change of it is a change of this snapshot', () => {
	const files = ['credentials', 'nodes', 'service'].flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.ts'))
			.map((file) => join(folder, file)),
	);

	const sentences = files
		.sort()
		.flatMap((file) => sentencesIn(file).map((text) => `${file}: ${text}`));

	expect(sentences.join('\n')).toMatchSnapshot();
});
