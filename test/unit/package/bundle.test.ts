import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

import { bundleCode } from '../../../scripts/lib/bundle';

/** The names of functions and classes, as a stack shows them. */
function namesIn(node: ts.Node): string[] {
	const within: string[] = [];
	ts.forEachChild(node, (child) => void within.push(...namesIn(child)));
	return [...nameOf(node), ...within];
}

function nameOf(node: ts.Node): string[] {
	if (ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node) || ts.isClassLike(node)) {
		return node.name ? [node.name.text] : [];
	}
	// A class without a name of its own is called as what it is assigned to.
	const isAssigned = ts.isVariableDeclaration(node) && ts.isIdentifier(node.name);
	if (!isAssigned || !node.initializer || !ts.isClassExpression(node.initializer)) return [];
	return node.initializer.name ? [] : [node.name.text];
}

describe('the published script', () => {
	it('gives no name to two functions or classes, as a number behind a name would show', async () => {
		const script = ts.createSourceFile('index.js', await bundleCode(), ts.ScriptTarget.Latest);
		const names = namesIn(script);

		const renamed = names.filter((name) => {
			const bare = name.replace(/\d+$/, '');
			return bare !== name && names.includes(bare);
		});

		// esbuild marks a class that names itself with “_”.
		expect(names).toEqual(expect.arrayContaining(['AgentLeads', '_ServiceError', 'fetchLeads']));
		expect(renamed).toEqual([]);
	});

	it('has no class under a short name', async () => {
		const script = await bundleCode();

		expect(script.match(/(?<!\w)\w{1,2}=class[{ ]/g)).toBeNull();
	});

	it('is ASCII, which V8 holds and reads at half the size', async () => {
		expect((await bundleCode()).match(/[^\n -~]/)).toBeNull();
	});

	it('loads a function of lodash as it is called', async () => {
		const script = await bundleCode();
		const loads = script.match(/require\("lodash\/\w+"\)/g) ?? [];
		const lazily = script.match(/\?\?=\s*require\("lodash\/\w+"\)/g) ?? [];

		expect(loads).toContain('require("lodash/sortBy")');
		expect(lazily).toHaveLength(loads.length);
	});
});
