import { describe, expect, it } from '@jest/globals';
import type { ICredentialType, INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import * as ts from 'typescript';

import { CREDENTIALS, NODES } from '../../lab/publishedTypes';
import type { Said } from '../../lab/reach';
import { Sources, VALUE } from '../../lab/reach';

/** A place where messages appear. */
interface Place {
	name: string;
	start: ts.Node;
	/** Entries of the tables of words that are for others. */
	unsaid?: string[];
	/** What a person has in front of them there. */
	labels: Set<string>;
	/** What the node has anywhere: the client of the service does not know which operation it works for. */
	nodeLabels: Set<string>;
}

/** A setting that n8n gives every node. */
const SETTINGS_OF_N8N = ['Retry On Fail'];

/** What `service/words.ts` says to those who run a workflow. */
const FOR_RUNS = ['advice', 'pollAdvice'];

const sources = new Sources();

const places = [
	...NODES.flatMap(({ description }) => [...runsOf(description), ...listsOf(description)]),
	...CREDENTIALS.flatMap((credential) => [...hooksOf(credential), ...testsOf(credential)]),
];

const everyLabel = [...new Set(places.flatMap(({ labels }) => [...labels]))].sort(
	(one, other) => other.length - one.length,
);

describe('the labels that messages name', () => {
	it.each(places.map((place) => [place.name, place] as const))('are there: %s', (_, place) => {
		const said = saidAt(place);

		const missing = said.filter((each) =>
			namedIn(each).some((label) => !isThere(place, each, label)),
		);

		expect(said).not.toEqual([]);
		expect(missing).toEqual([]);
	});

	it('are looked for in every message', () => {
		const reached = new Set(places.flatMap(saidAt).map(keyOf));

		const others = sources.everything().filter((said) => !reached.has(keyOf(said)));

		expect(others.filter((said) => quotedIn(said).length > 0)).toEqual([]);
	});

	it('are seen: as an argument, in quotation marks, and without them', () => {
		const file = 'nodes/common/leads/readers.ts';
		const said = sources.everything().filter((each) => each.file === file);

		const labels = new Set(said.flatMap(namedIn));

		expect([...labels]).toEqual(
			expect.arrayContaining(['Filter By', 'No Filter', 'From Time Parameter Name']),
		);

		const advice = { file, text: 'Run it again, or raise Max Wait in the options', isLabel: false };

		expect(namedIn(advice)).toEqual(['Max Wait']);
	});
});

function saidAt({ start, unsaid }: Place): Said[] {
	return sources.reachableFrom(start, unsaid);
}

function isThere({ labels, nodeLabels }: Place, { file }: Said, label: string): boolean {
	return (file.startsWith('service/') ? nodeLabels : labels).has(label);
}

function keyOf({ file, text, isLabel }: Said): string {
	return JSON.stringify([file, text, isLabel]);
}

function namedIn(said: Said): string[] {
	return [...quotedIn(said), ...unquotedIn(said)];
}

/** Labels begin with a capital; values and the service's words are quoted as well. */
function quotedIn({ text, isLabel }: Said): string[] {
	if (isLabel) return [text];
	const quoted = [...text.matchAll(/“([A-Z][^“”]*)”/g)].map(([, label = '']) => label);
	return quoted.filter((label) => !label.includes(VALUE) && !SETTINGS_OF_N8N.includes(label));
}

/** In a sentence, a label of several words is known without quotation marks too. */
function unquotedIn({ text, isLabel }: Said): string[] {
	if (isLabel || everyLabel.includes(text) || !/\s[a-z]+\s/.test(text)) return [];
	let rest = text.replace(/“[^“”]*”/g, '');
	return everyLabel.filter((label) => {
		if (!label.includes(' ') || !rest.includes(label)) return false;
		rest = rest.replaceAll(label, '');
		return true;
	});
}

/** What a node runs: an operation, or all that it does. */
function runsOf(description: INodeTypeDescription): Place[] {
	const file = fileOf(description);
	const nodeLabels = labelsOf(description);
	const operations = sources
		.find(file, isNamed(/OPERATIONS$/, ts.isVariableDeclaration))
		.flatMap(({ initializer }) =>
			initializer && ts.isObjectLiteralExpression(initializer) ? initializer.properties : [],
		)
		.map((start) => {
			const operation = start.name?.getText() ?? '';
			const labels = labelsOf(description, operation);
			return { name: `${description.displayName} › ${operation}`, start, labels, nodeLabels };
		});
	// Where leads are pushed to, a run says nothing more.
	const runs = (description.webhooks ? ['trigger', 'webhook'] : ['execute', 'poll'])
		.flatMap((name) => sources.find(file, isNamed(name, ts.isMethodDeclaration)))
		.map((start) => ({ name: description.displayName, start, labels: nodeLabels, nodeLabels }));
	return [...operations, ...runs];
}

/** The lists to choose from that a node offers. */
function listsOf(description: INodeTypeDescription): Place[] {
	return description.properties.flatMap((property) =>
		listMethodsIn(property).map(([displayName, method]) => {
			const [shown] = property.displayOptions?.show?.operation ?? [];
			const operation = typeof shown === 'string' ? shown : undefined;
			const [start] = methodsOf(description, method);
			if (!start || (!operation && hasOperations(description))) {
				throw new Error(`Who calls ${method}?`);
			}
			const labels = labelsOf(description, operation);
			const place = [description.displayName, ...(operation ? [operation] : [])].join(' › ');
			const name = `${place} › list of ${displayName}`;
			return { name, start, labels, nodeLabels: labels };
		}),
	);
}

function hasOperations({ properties }: INodeTypeDescription): boolean {
	return properties.some(({ name }) => name === 'operation');
}

/** The methods that fill the lists of a field and of those within it, by the labels of the lists. */
function listMethodsIn(property: INodeProperties): Array<[label: string, method: string]> {
	const { displayName, typeOptions, modes = [], options = [] } = property;
	const methods = [
		typeOptions?.loadOptionsMethod,
		...modes.map((mode) => mode.typeOptions?.searchListMethod),
	];
	return [
		...methods.filter((method) => method !== undefined).map((method) => [displayName, method]),
		...options.flatMap((option) => ('type' in option ? listMethodsIn(option) : [])),
	] as Array<[string, string]>;
}

/** The “Test” button of a credential, which one of its nodes answers. */
function testsOf(credential: ICredentialType): Place[] {
	return NODES.flatMap(({ description }) =>
		(description.credentials ?? [])
			.filter(({ name }) => name === credential.name)
			.flatMap(({ testedBy }) =>
				typeof testedBy === 'string' ? methodsOf(description, testedBy) : [],
			)
			.map((start) => inCredential(credential, `test by ${description.displayName}`, start)),
	);
}

/** What n8n calls of a credential. */
function hooksOf(credential: ICredentialType): Place[] {
	const file = `credentials/${upperFirst(credential.name)}.credentials.ts`;
	return ['preAuthentication', 'authenticate'].flatMap((hook) =>
		sources
			.find(file, isNamed(hook, ts.isPropertyDeclaration))
			.map((start) => inCredential(credential, hook, start)),
	);
}

function inCredential(credential: ICredentialType, what: string, start: ts.Node): Place {
	const labels = new Set(credential.properties.flatMap(labelsIn));
	const name = `${credential.displayName} › ${what}`;
	return { name, start, unsaid: FOR_RUNS, labels, nodeLabels: labels };
}

/** Where a node names one of its methods. */
function methodsOf(description: INodeTypeDescription, method: string): ts.Node[] {
	const [methods] = sources.find(fileOf(description), isNamed('methods', ts.isPropertyDeclaration));
	return sources
		.find(fileOf(description), ts.isIdentifier)
		.filter((name) => name.text === method && methods && isWithin(name, methods));
}

/** The fields of an operation, and those of the node's credential, which a person opens from there. */
function labelsOf({ properties, credentials = [] }: INodeTypeDescription, operation?: string) {
	const fields = properties.filter(({ displayOptions }) => {
		const shown = displayOptions?.show?.operation;
		return operation === undefined || !shown || shown.includes(operation);
	});
	const names = credentials.map(({ name }) => name);
	const opened = CREDENTIALS.filter(({ name }) => names.includes(name));
	return new Set([...fields, ...opened.flatMap((each) => each.properties)].flatMap(labelsIn));
}

/** The label of a field, those of its choices and of the fields within it. */
function labelsIn({ displayName, options = [] }: INodeProperties): string[] {
	return [
		displayName,
		...options.flatMap((option) => {
			if ('values' in option) {
				const nested = option.values.flatMap(labelsIn);
				return [...nested, ...nested.map((label) => `${option.displayName} ${label}`)];
			}
			return 'type' in option ? labelsIn(option) : [option.name];
		}),
	];
}

function fileOf({ name }: INodeTypeDescription): string {
	return `nodes/${upperFirst(name)}/${upperFirst(name)}.node.ts`;
}

function upperFirst(name: string): string {
	return name.charAt(0).toUpperCase() + name.slice(1);
}

function isNamed<T extends ts.Node & { name: ts.Node }>(
	name: string | RegExp,
	fits: (node: ts.Node) => node is T,
) {
	return (node: ts.Node): node is T => {
		if (!fits(node)) return false;
		const text = node.name.getText();
		return typeof name === 'string' ? text === name : name.test(text);
	};
}

function isWithin(node: ts.Node, outer: ts.Node): boolean {
	return node.pos >= outer.pos && node.end <= outer.end;
}
