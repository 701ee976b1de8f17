import { join } from 'node:path';

import ts from 'typescript';

import { root } from './paths';

/** The libraries, which are the same for each script. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/**
 * What the TypeScript compiler says against a script, in its strictest setting.
 *
 * @param path where the script would lie, from the root of the repository; it need not exist
 */
export function typeProblems(path: string, script: string): string[] {
	const file = join(root, path);
	const target = ts.ScriptTarget.ES2022;
	const options: ts.CompilerOptions = {
		strict: true,
		noEmit: true,
		skipLibCheck: true,
		target,
		module: ts.ModuleKind.CommonJS,
		moduleResolution: ts.ModuleResolutionKind.Node10,
		types: [],
	};
	const disk = ts.createCompilerHost(options);
	const host: ts.CompilerHost = {
		...disk,
		fileExists: (name) => name === file || disk.fileExists(name),
		getSourceFile: (name, ...rest) => {
			if (name === file) return ts.createSourceFile(name, script, target);
			if (!parsed.has(name)) parsed.set(name, disk.getSourceFile(name, ...rest));
			return parsed.get(name);
		},
	};
	const program = ts.createProgram([file], options, host);
	return ts
		.getPreEmitDiagnostics(program)
		.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
