import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { INVENTORY_INTEGRATION } from '../../../service/inventory/integration';
import { LEADS_INTEGRATION } from '../../../service/leads/integration';
import { PRODUCTS_INTEGRATION } from '../../../service/products/integration';
import { ERROR_CODES, entryUrl } from '../../../service/errorCodes';
import { WORDS } from '../../../service/words';
import { entriesOfTroubleshooting, patternOf } from '../../lab/documentation';
import { root } from '../../lab/paths';

/** What stands for a value that only a run knows. */
const VALUE = 'X';

function read(file: string): string {
	return readFileSync(join(root, file), 'utf8');
}

type Say = (value: never) => string;

function said(message: string | Say): string {
	return typeof message === 'string' ? message : message(VALUE as never);
}

const entries = entriesOfTroubleshooting();

/** Some messages stand behind others only, such as “Premium listing for listing 1 was not activated: …”. */
function isListed(text: string): boolean {
	const patterns = entries.flatMap(({ messages }) => messages).map(patternOf);
	return patterns.some((pattern) => pattern.test(text) || pattern.test(`${VALUE} ${text}`));
}

describe('the messages about the service', () => {
	const integrations = [LEADS_INTEGRATION, INVENTORY_INTEGRATION, PRODUCTS_INTEGRATION];
	const ofApis = integrations.flatMap(({ words: { scopeRefused, forbidden } }) =>
		[scopeRefused, forbidden].map(({ message }) => message),
	);
	const ofKinds = Object.values(WORDS).flatMap((words) =>
		'messages' in words ? Object.values<string | Say>(words.messages).map(said) : [],
	);

	it.each([...new Set([...ofApis, ...ofKinds])])(
		'are in an entry of troubleshooting: %s',
		(text) => {
			expect(isListed(text)).toBe(true);
		},
	);

	it('are not taken for listed because another one is', () => {
		expect(isListed('The service sulks')).toBe(false);
	});
});

describe('troubleshooting', () => {
	it('has an entry for each code, and no other', () => {
		const codes = entries.flatMap(({ code }) => code ?? []);

		expect(codes.sort()).toEqual([...ERROR_CODES].sort());
	});

	it('has each entry where its link leads to: GitHub makes anchors of headings in lower case', () => {
		const anchors = entries.flatMap(({ code }) => (code ? [`#${code.toLowerCase()}`] : []));

		expect(ERROR_CODES.map((code) => new URL(entryUrl(code)).hash).sort()).toEqual(anchors.sort());
	});

	it('has no entry without a message, and no message twice', () => {
		const messages = entries.flatMap((entry) => entry.messages);

		expect(entries.filter((entry) => entry.messages.length === 0)).toEqual([]);
		expect(new Set(messages).size).toBe(messages.length);
	});

	it('has no message that is not held against what is shown', () => {
		const folder = 'test/engine/nodes/messages';
		const tests = readdirSync(join(root, folder)).map((file) => read(join(folder, file)));

		const unheld = entries
			.flatMap(({ messages }) => messages)
			.filter((message) => !tests.some((test) => test.includes(`'${message}',`)));

		expect(unheld).toEqual([]);
	});
});
