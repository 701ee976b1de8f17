import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

import { bundleCode } from '../../../scripts/lib/bundle';

/** What esbuild makes of an import from n8n; a number tells apart the files that import it. */
const IMPORTED = /^import_/;

/** The names that a script declares outside of functions and classes. */
function namesIn(script: string): string[] {
	const { statements } = ts.createSourceFile('index.js', script, ts.ScriptTarget.Latest);
	return statements
		.flatMap((statement) => {
			if (ts.isVariableStatement(statement)) {
				return statement.declarationList.declarations.map(({ name }) => name);
			}
			const isNamed = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
			return isNamed && statement.name ? [statement.name] : [];
		})
		.flatMap((name) => (ts.isIdentifier(name) ? [name.text] : []));
}

describe('the published script', () => {
	it('gives no name to two things, as a number behind a name would show', async () => {
		const names = namesIn(await bundleCode());

		const renamed = names.filter((name) => {
			const bare = name.replace(/\d+$/, '');
			return bare !== name && !IMPORTED.test(name) && names.includes(bare);
		});

		expect(names).toEqual(expect.arrayContaining(['AgentLeads', 'ServiceError', 'fetchLeads']));
		expect(renamed).toEqual([]);
	});
});
