import { join } from 'node:path';

import ts from 'typescript';

import { root } from './paths';

/**
 * What the TypeScript compiler says against a script, in its strictest setting.
 *
 * @param path where the script would lie, from the root of the repository; it need not exist
 */
export function typeProblems(path: string, script: string): string[] {
	const file = join(root, path);
	const options: ts.CompilerOptions = {
		strict: true,
		noEmit: true,
		skipLibCheck: true,
		target: ts.ScriptTarget.ES2022,
		module: ts.ModuleKind.CommonJS,
		moduleResolution: ts.ModuleResolutionKind.Node10,
		types: [],
	};
	const host = ts.createCompilerHost(options);
	const { getSourceFile, fileExists } = host;
	host.fileExists = (name) => name === file || fileExists(name);
	host.getSourceFile = (name, language, ...rest) =>
		name === file
			? ts.createSourceFile(name, script, language)
			: getSourceFile(name, language, ...rest);
	const program = ts.createProgram([file], options, host);
	return ts
		.getPreEmitDiagnostics(program)
		.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
