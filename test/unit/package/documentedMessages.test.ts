import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import * as ts from 'typescript';

import type { Page } from '../../lab/documentation';
import { messagesOf, patternOf } from '../../lab/documentation';
import { root } from '../../lab/paths';

const PAGES: Page[] = [
	'agent-inventory',
	'agent-leads',
	'agent-leads-trigger',
	'agent-products',
	'troubleshooting',
];

/** What nobody sees by itself. */
const UNSEEN = [
	// A part of “It is not known whether the highlights were changed: …”.
	'A change of the highlights is still under way',
	// n8n drops what has another shape before a node gets it.
	'“Highlights” is not a list of highlights',
	'“X” is not a collection of fields',
];

/** What stands for a value that only a run knows. */
const VALUE = 'X';

/** The messages of the sources; test/engine/nodes/messages.test.ts produces those of the documentation. */
function messagesIn(file: string): string[] {
	const found: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isNewExpression(node)) found.push(...messagesOfError(node));
		if (ts.isPropertyAssignment(node)) found.push(...messagesOfTable(node, file));
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

/** The tables that say in plain words what a code or a trouble means. */
const TABLES: Record<string, RegExp> = {
	'answer.ts': /^(leads|inventory|products)$/,
	'problems.ts': /^message$/,
	'highlights.ts': /^problem$/,
	'products.ts': /^problem$/,
	'codes.ts': /^problem$/,
	'transport.ts': /^E[A-Z_]+$/,
};

function messagesOfTable({ name, initializer }: ts.PropertyAssignment, file: string): string[] {
	const key = TABLES[basename(file)];
	if (!key || !ts.isIdentifier(name) || !key.test(name.text)) return [];
	return textsOf(initializer).filter((text) => name.text === 'problem' || isSentence(text));
}

function messagesOfVariable({ name, initializer }: ts.VariableDeclaration): string[] {
	const isMessage = ts.isIdentifier(name) && name.text === 'message';
	return isMessage && initializer ? textsOf(initializer).filter(isSentence) : [];
}

/** Not a word to be put into one. */
function isSentence(text: string): boolean {
	return /^[A-Z“]/.test(text);
}

/** The texts that an expression may give. */
function textsOf(node: ts.Expression): string[] {
	if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
	if (ts.isConditionalExpression(node)) {
		return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
	}
	if (ts.isBinaryExpression(node)) return [...textsOf(node.left), ...textsOf(node.right)];
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

describe('the messages of the sources', () => {
	const documented = PAGES.flatMap(messagesOf);
	/** What stands behind “… was not activated:” and the like counts by itself. */
	const endings = documented.flatMap(
		(message) => /(?:changed|activated|first): ([^…].*)/.exec(message)?.[1] ?? [],
	);
	/** Where the source leaves open which field it is, any field will do. */
	const ofAnyField = documented.map((message) => message.replace(/^“[^”]+”/, `“${VALUE}”`));
	const patterns = [...documented, ...endings, ...ofAnyField].map(patternOf);

	it('are looked for in tables that are there', () => {
		const files = sources().map((file) => basename(file));
		expect(files).toEqual(expect.arrayContaining(Object.keys(TABLES)));
	});

	it.each(
		sources()
			.map((file) => [file, messagesIn(file)] as const)
			.filter(([, { length }]) => length > 0),
	)('%s: all are explained in docs/', (_, messages) => {
		const unexplained = messages.filter(
			(message) => !UNSEEN.includes(message) && !patterns.some((pattern) => pattern.test(message)),
		);
		expect(unexplained).toEqual([]);
	});
});
