import { typeProblems } from '../typeProblems';

/** What n8n's definitions take for granted; an expression is a text that begins as n8n's do. */
const TAKEN_FOR_GRANTED = `
import type { CredentialReference, IDataObject, NodeConfig } from '@n8n/workflow-sdk/dist/types/base';
type Expression<T> = T extends unknown ? \`=\${string}\` : never;
`;

/** What is said of a node in the definition that n8n makes of it, and then the parameters of each of its operations. */
export function operationsIn(definition: string): string[] {
	return definition.split(/^(?=export )/m);
}

/** What the TypeScript compiler says against a script of such definitions. */
export function problemsIn(script: string): string[] {
	return typeProblems('test/e2e/definition.ts', `${TAKEN_FOR_GRANTED}\n${script}`);
}

/** n8n 2.39 names the parameters of all operations together, and declares only those of each. */
export function withAllOperations(definition: string): string {
	const [, all = ''] = /NodeConfig<(\w+)>/.exec(definition) ?? [];
	const declared = [...definition.matchAll(/^export (?:type|interface) (\w+Params)\b/gm)];
	const names = declared.map(([, name = '']) => name);
	return names.includes(all) ? definition : `${definition}\ntype ${all} = ${names.join(' | ')};`;
}
