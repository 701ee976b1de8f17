import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import * as ts from 'typescript';

import { INVENTORY_INTEGRATION } from '../../../service/inventory/integration';
import { LEADS_INTEGRATION } from '../../../service/leads/integration';
import { PRODUCTS_INTEGRATION } from '../../../service/products/integration';
import { ERROR_CODES, entryUrl } from '../../../service/errorCodes';
import { WORDS } from '../../../service/words';
import { entriesOfTroubleshooting, patternOf } from '../../lab/documentation';
import { root } from '../../lab/paths';

/** What needs no explanation. */
const UNEXPLAINED = [
	'The service issued a token and answered with it',
	// Only what is no error is told in these words.
	'The test failed',
	// A part of “It is not known whether the highlights were changed: …”.
	'A change of the highlights is still under way',
	// n8n drops what has another shape before a node gets it.
	'“Highlights” is not a list of highlights',
	'“X” is not a collection of fields',
];

/** A message, and whether it is about a field of a node. */
interface Message {
	text: string;
	isOfField: boolean;
}

const ofService = (text: string): Message => ({ text, isOfField: false });

/** In a text editor as in `wc -w`. */
const MOST_WORDS = 2_600;

/** What stands for a value that only a run knows. */
const VALUE = 'X';

/**
 * The messages of the sources: what an error is made with, and what stands behind `message`, `messages` or
 * `problem`. The tests in test/engine/nodes/messages produce those of the documentation.
 */
function messagesIn(file: string): Message[] {
	const found: Message[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isNewExpression(node)) found.push(...messagesOfError(node));
		if (ts.isPropertyAssignment(node)) found.push(...messagesOfProperty(node).map(ofService));
		if (ts.isVariableDeclaration(node)) found.push(...messagesOfVariable(node).map(ofService));
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest));
	return found;
}

function messagesOfError({ expression, arguments: given }: ts.NewExpression): Message[] {
	const [first, second] = given ?? [];
	if (!ts.isIdentifier(expression) || !first || !second) return [];
	if (expression.text === 'ServiceError') return textsOf(second).map(ofService);
	if (expression.text !== 'FieldError') return [];
	const [field = VALUE] = textsOf(first);
	return textsOf(second).map((problem) => ({ text: `“${field}” ${problem}`, isOfField: true }));
}

function messagesOfProperty({ name, initializer }: ts.PropertyAssignment): string[] {
	if (!ts.isIdentifier(name)) return [];
	if (name.text === 'problem') return textsOf(initializer);
	if (name.text === 'message') return textsOf(initializer).filter(isSentence);
	if (name.text !== 'messages' || !ts.isObjectLiteralExpression(initializer)) return [];
	return initializer.properties
		.filter(ts.isPropertyAssignment)
		.flatMap((message) => textsOf(message.initializer));
}

function messagesOfVariable({ name, initializer }: ts.VariableDeclaration): string[] {
	const isMessage = ts.isIdentifier(name) && name.text === 'message';
	return isMessage && initializer ? textsOf(initializer).filter(isSentence) : [];
}

/** Not a word to be put into one, nor a frame for whole ones. */
function isSentence(text: string): boolean {
	return /^[A-Z“]/.test(text) && /[a-z]{2}/.test(text);
}

/** The texts that an expression may give. */
function textsOf(node: ts.Expression): string[] {
	if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
	if (ts.isConditionalExpression(node)) {
		return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
	}
	if (ts.isBinaryExpression(node)) return [...textsOf(node.left), ...textsOf(node.right)];
	if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return textsOf(node.body);
	if (!ts.isTemplateExpression(node)) return [];
	return [node.head.text + node.templateSpans.map(({ literal }) => VALUE + literal.text).join('')];
}

function read(file: string): string {
	return readFileSync(join(root, file), 'utf8');
}

function sources(): string[] {
	return ['service', 'nodes'].flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.ts'))
			.map((file) => join(folder, file)),
	);
}

type Say = (value: never) => string;

function said(message: string | Say): string {
	return typeof message === 'string' ? message : message(VALUE as never);
}

const entries = entriesOfTroubleshooting();

/** Whether an entry lists a message; one about a field of a node begins with its label. */
function isListed({ text, isOfField }: Message): boolean {
	const candidates = entries.filter(({ code }) => isOfField === (code === 'field'));
	const patterns = candidates.flatMap(({ messages }) => messages).map(patternOf);
	// Some stand behind others only, such as “Premium listing for listing 1 was not activated: …”.
	return patterns.some((pattern) => pattern.test(text) || pattern.test(`${VALUE} ${text}`));
}

describe('the messages of the sources', () => {
	it('are all found, those of every API and of every kind of failure among them', () => {
		const found = sources()
			.flatMap(messagesIn)
			.map(({ text }) => text);
		const integrations = [LEADS_INTEGRATION, INVENTORY_INTEGRATION, PRODUCTS_INTEGRATION];
		const ofApis = integrations.flatMap(({ words: { scopeRefused, forbidden, test } }) =>
			[scopeRefused, forbidden, test.tokenRefused, test.forbidden].map(({ message }) => message),
		);

		const ofKinds = Object.values(WORDS).flatMap((words) =>
			'messages' in words ? Object.values<string | Say>(words.messages).map(said) : [],
		);

		expect(ofKinds.length).toBeGreaterThan(0);
		expect(found).toEqual(expect.arrayContaining([...ofApis, ...ofKinds]));
	});

	it.each(
		sources()
			.map((file) => [file, messagesIn(file)] as const)
			.filter(([, { length }]) => length > 0),
	)('%s: each is in an entry of troubleshooting', (_, messages) => {
		const unlisted = messages.filter(
			(message) => !UNEXPLAINED.includes(message.text) && !isListed(message),
		);

		expect(unlisted).toEqual([]);
	});

	it('are not taken for listed because another one is', () => {
		expect(isListed({ text: '“X” is odd', isOfField: true })).toBe(true);
		expect(isListed({ text: '“X” is odd', isOfField: false })).toBe(false);
		expect(isListed({ text: 'The service sulks', isOfField: false })).toBe(false);
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

	it('is short enough to be read', () => {
		expect(read('docs/troubleshooting.md').split(/\s+/).length).toBeLessThanOrEqual(MOST_WORDS);
	});
});
