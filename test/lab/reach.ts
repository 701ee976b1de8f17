import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

import * as ts from 'typescript';

import { root } from './paths';

/** What stands in a text for a value that only a run knows. */
export const VALUE = '\u0000';

/** Something that the code may say. */
export interface Said {
	/** The source file, from the repository. */
	file: string;
	text: string;
	/** Whether it is the label of a field, handed to something that puts it into a message. */
	isLabel: boolean;
}

/** By these names a function takes the label of a field. */
const LABEL_PARAMETERS = ['field', 'label'];

/** The published sources, and what can be reached in them from a place. */
export class Sources {
	private readonly program = ts.createProgram(filesOf('credentials', 'nodes', 'service'), {
		target: ts.ScriptTarget.ES2022,
		module: ts.ModuleKind.CommonJS,
		moduleResolution: ts.ModuleResolutionKind.Node10,
		strict: true,
		skipLibCheck: true,
		esModuleInterop: true,
		types: ['node'],
		typeRoots: [join(root, 'node_modules/@types')],
	});

	private readonly checker = this.program.getTypeChecker();

	/** All places of a source that fit, outermost first. */
	find<T extends ts.Node>(file: string, fits: (node: ts.Node) => node is T): T[] {
		const source = this.program.getSourceFile(join(root, file));
		if (!source) throw new Error(`There is no ${file}`);
		const found: T[] = [];
		const visit = (node: ts.Node): void => {
			if (fits(node)) found.push(node);
			ts.forEachChild(node, visit);
		};
		visit(source);
		return found;
	}

	/** All that the sources may say. */
	everything(): Said[] {
		return this.program
			.getSourceFiles()
			.filter((source) => this.isOurs(source))
			.flatMap((source) => this.saidIn(source, () => undefined));
	}

	/** What may be said by what a place runs, and by all that this calls. */
	reachableFrom(place: ts.Node): Said[] {
		const seen = new Set<ts.Node>([place]);
		const said: Said[] = [];
		for (const node of seen) {
			for (const part of partsOf(node)) {
				said.push(
					...this.saidIn(part, (name) => {
						for (const declaration of this.declarationsOf(name)) seen.add(declaration);
					}),
				);
			}
		}
		return said;
	}

	private saidIn(node: ts.Node, meet: (name: ts.Identifier) => void): Said[] {
		const file = relative(root, node.getSourceFile().fileName);
		const said: Said[] = [];
		const visit = (each: ts.Node): void => {
			if (ts.isTypeNode(each) || ts.isImportDeclaration(each)) return;
			if (ts.isIdentifier(each)) meet(each);
			const text = this.textOf(each);
			if (text !== undefined) said.push({ file, text, isLabel: false });
			if (ts.isCallExpression(each) || ts.isNewExpression(each)) {
				for (const label of this.labelsIn(each)) said.push({ file, text: label, isLabel: true });
			}
			ts.forEachChild(each, visit);
		};
		visit(node);
		return said;
	}

	/** The text of a literal, with the values of constants in it. */
	private textOf(node: ts.Node): string | undefined {
		if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
		if (!ts.isTemplateExpression(node)) return undefined;
		const spans = node.templateSpans.map(({ expression, literal }) => {
			const [text, ...others] = this.valuesOf(expression);
			return (others.length === 0 && text !== undefined ? text : VALUE) + literal.text;
		});
		return node.head.text + spans.join('');
	}

	/** The texts that an expression may be, if its type says so. */
	private valuesOf(expression: ts.Expression): string[] {
		const type = this.checker.getTypeAtLocation(expression);
		const types = type.isUnion() ? type.types : [type];
		return types.every((each) => each.isStringLiteral()) ? types.map(({ value }) => value) : [];
	}

	private labelsIn(call: ts.CallExpression | ts.NewExpression): string[] {
		const signature = this.checker.getResolvedSignature(call);
		if (!signature?.declaration || !this.isOurs(signature.declaration.getSourceFile())) return [];
		const parameters = signature.getParameters();
		return (call.arguments ?? []).flatMap((argument, index) =>
			LABEL_PARAMETERS.includes(parameters[index]?.name ?? '') ? this.valuesOf(argument) : [],
		);
	}

	/** What a name stands for, as far as it is ours and may run. */
	private declarationsOf(name: ts.Identifier): ts.Node[] {
		const own = ts.isShorthandPropertyAssignment(name.parent)
			? this.checker.getShorthandAssignmentValueSymbol(name.parent)
			: this.checker.getSymbolAtLocation(name);
		const isAlias = own && own.flags & ts.SymbolFlags.Alias;
		const symbol = own && isAlias ? this.checker.getAliasedSymbol(own) : own;
		return (symbol?.declarations ?? []).filter(
			(declaration) => this.isOurs(declaration.getSourceFile()) && mayRun(declaration),
		);
	}

	private isOurs({ fileName, isDeclarationFile }: ts.SourceFile): boolean {
		return !isDeclarationFile && !relative(root, fileName).startsWith('node_modules');
	}
}

function mayRun(node: ts.Node): boolean {
	return (
		ts.isFunctionDeclaration(node) ||
		ts.isVariableDeclaration(node) ||
		ts.isPropertyAssignment(node) ||
		ts.isClassDeclaration(node) ||
		(ts.isClassElement(node) && node.getText() !== '')
	);
}

/** Of a class, only what runs when one is made: what else it can do is met by its name. */
function partsOf(node: ts.Node): ts.Node[] {
	if (!ts.isClassDeclaration(node)) return [node];
	const members = node.members.filter(
		(member) => ts.isConstructorDeclaration(member) || ts.isPropertyDeclaration(member),
	);
	return [...members, ...(node.heritageClauses ?? [])];
}

function filesOf(...folders: string[]): string[] {
	return folders.flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.ts'))
			.map((file) => join(root, folder, file)),
	);
}
