import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import * as ts from 'typescript';

import { INVENTORY_INTEGRATION } from '../../../service/inventory/integration';
import { LEADS_INTEGRATION } from '../../../service/leads/integration';
import { PRODUCTS_INTEGRATION } from '../../../service/products/integration';
import { WORDS } from '../../../service/words';
import type { Page } from '../../lab/documentation';
import { CHAPTERS, messagesOf, patternOf } from '../../lab/documentation';
import { root } from '../../lab/paths';

const PAGES: Page[] = [
	'agent-inventory',
	'agent-inventory-trigger',
	'agent-leads',
	'agent-leads-push-trigger',
	'agent-leads-trigger',
	'agent-products',
	'troubleshooting',
];

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

/** What stands for a value that only a run knows. */
const VALUE = 'X';

/**
 * The messages of the sources: what an error is made with, and what stands behind `message`, `messages` or
 * `problem`. The tests in test/engine/nodes/messages produce those of the documentation.
 */
function messagesIn(file: string): string[] {
	const found: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isNewExpression(node)) found.push(...messagesOfError(node));
		if (ts.isPropertyAssignment(node)) found.push(...messagesOfProperty(node));
		if (ts.isVariableDeclaration(node)) found.push(...messagesOfVariable(node));
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest));
	return found;
}

function messagesOfError({ expression, arguments: given }: ts.NewExpression): string[] {
	const [first, second] = given ?? [];
	if (!ts.isIdentifier(expression) || !first || !second) return [];
	if (expression.text === 'ServiceError') return textsOf(second);
	if (expression.text !== 'FieldError') return [];
	const [field = VALUE] = textsOf(first);
	return textsOf(second).map((problem) => `“${field}” ${problem}`);
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

describe('the messages of the sources', () => {
	const documented = PAGES.flatMap((page) => messagesOf(page));
	/** What stands behind “… was not activated:” and the like counts by itself. */
	const endings = documented.flatMap(
		(message) => /(?:changed|activated|first): ([^…].*)/.exec(message)?.[1] ?? [],
	);
	/** Where the source leaves open which field it is, any field will do. */
	const ofAnyField = documented.map((message) => message.replace(/^“[^”]+”/, `“${VALUE}”`));
	const patterns = [...documented, ...endings, ...ofAnyField].map(patternOf);

	it('are all found, those of every API and of every kind of failure among them', () => {
		const found = sources().flatMap(messagesIn);
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
	)('%s: all are explained in docs/', (_, messages) => {
		const unexplained = messages.filter(
			(message) =>
				!UNEXPLAINED.includes(message) && !patterns.some((pattern) => pattern.test(message)),
		);

		expect(unexplained).toEqual([]);
	});
});

describe('troubleshooting', () => {
	it('has no message outside of the chapters that are held against what is shown', () => {
		const inChapters = CHAPTERS.flatMap((chapter) => messagesOf('troubleshooting', chapter));

		expect(inChapters).toEqual(messagesOf('troubleshooting'));
	});

	it.each(CHAPTERS)('is held against what is shown: %s', (chapter) => {
		const folder = 'test/engine/nodes/messages';

		const tests = readdirSync(join(root, folder)).map((file) => read(join(folder, file)));

		expect(tests.filter((test) => test.includes(`'${chapter}',`))).toHaveLength(1);
	});
});
