import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import type { INodeProperties, INodeType } from 'n8n-workflow';

import { propertyJson } from '../../../nodes/common/inventory/simplifyProperty';
import { leadJson } from '../../../nodes/common/leads/simplifyLead';
import { readManifest } from '../../lab/proof/manifest';
import { CREDENTIALS, NODES } from '../../lab/publishedTypes';
import { root } from '../../lab/paths';

/** What saved workflows hold on to, by node version and credential, one promise a line. */
type Contract = Record<string, string[]>;

const RECORD = 'test/unit/package/contract.json';
const PRESENT = '.tmp/contract.json';

function presentContract(): Contract {
	return {
		...Object.fromEntries(NODES.flatMap(nodePromises)),
		...Object.fromEntries(
			CREDENTIALS.map(({ name, properties }) => [`credential ${name}`, promisesOf(properties)]),
		),
		'output applicant, simplified': Object.keys(leadJson({}, 'applicant', true)),
		'output appraisal, simplified': Object.keys(leadJson({}, 'appraisal', true)),
		'output property, simplified': Object.keys(propertyJson({}, true)),
	};
}

function nodePromises({ description }: INodeType): Array<[string, string[]]> {
	const { name, version, credentials = [], properties } = description;
	const uses = credentials.map((credential) => `uses the credential ${credential.name}`);
	return [version]
		.flat()
		.map((each) => [`node ${name}, version ${each}`, [...uses, ...promisesOf(properties)]]);
}

/** A notice has no value; everything else is stored in workflows under its name. */
function promisesOf(properties: INodeProperties[], parent = '', where = ''): string[] {
	return properties
		.filter(({ type }) => type !== 'notice')
		.flatMap((property) => {
			const path = parent + property.name;
			const isShown = `${where}${conditionsOf(property)}`;
			const value = [...formOf(property), `default ${JSON.stringify(property.default)}`].join(', ');
			return [`${path}${isShown}: ${value}`, ...choicesOf(property, path, isShown)];
		});
}

/** Several of a kind are stored as a list; what is required stops a workflow that lacks it. */
function formOf({ type, typeOptions, required }: INodeProperties): string[] {
	return [
		type,
		...(typeOptions?.multipleValues ? ['several'] : []),
		...(required ? ['required'] : []),
	];
}

/** When a parameter is there: n8n does not keep the value of one that is not. */
function conditionsOf({ displayOptions: { show = {}, hide = {} } = {} }: INodeProperties): string {
	const conditions = [
		...Object.entries(show).map(([name, values]) => ` if ${name} is ${JSON.stringify(values)}`),
		...Object.entries(hide).map(([name, values]) => ` unless ${name} is ${JSON.stringify(values)}`),
	];
	return conditions.sort().join('');
}

/** The values of a list, the fields of a collection, the ways to name something. */
function choicesOf(
	{ options = [], modes = [] }: INodeProperties,
	path: string,
	where: string,
): string[] {
	const chosen = options.flatMap((option) => {
		if ('values' in option) return promisesOf(option.values, `${path}.${option.name}.`, where);
		if ('type' in option) return promisesOf([option], `${path}.`, where);
		return [`${path}${where} may be ${JSON.stringify(option.value)}`];
	});
	return [...chosen, ...modes.map(({ name }) => `${path}${where} may be given by ${name}`)];
}

function differences(recorded: Contract, present: Contract): string {
	const gone = missingIn(present, recorded);
	const added = missingIn(recorded, present);
	return [
		...(gone.length > 0 ? [GONE, ...gone] : []),
		...(added.length > 0 ? [ADDED, ...added] : []),
	].join('\n');
}

/** The promises of one contract that the other one does not make. */
function missingIn(other: Contract, contract: Contract): string[] {
	return Object.entries(contract).flatMap(([holder, promises]) =>
		promises
			.filter((promise) => !other[holder]?.includes(promise))
			.map((promise) => `  ${holder}: ${promise}`),
	);
}

const RECORDING = `cp ${PRESENT} ${RECORD}`;

const GONE = `Workflows that people have saved count on this, and it is gone or changed. A name, a default and a value of
a list never change within a version of a node: keep this one, and put what is new into a new version of the node
(docs/upgrades.md). Only before the first release, or with a new major version of the package: ${RECORDING}`;

const ADDED = `This is new. A parameter may be added where workflows without it do what they did before (docs/upgrades.md).
If that is so, name it in CHANGELOG.md and record it: ${RECORDING}`;

function record(): Contract {
	return JSON.parse(readFileSync(join(root, RECORD), 'utf8')) as Contract;
}

describe('what saved workflows hold on to', () => {
	it('is what was recorded', () => {
		const present = presentContract();
		mkdirSync(join(root, '.tmp'), { recursive: true });
		writeFileSync(join(root, PRESENT), `${JSON.stringify(present, null, '\t')}\n`);

		const found = differences(record(), present);

		if (found !== '') throw new Error(found);
	});

	it('is recorded for every node and credential of the package', () => {
		const { n8n } = readManifest();
		const classes = [...NODES, ...CREDENTIALS].map((each) => each.constructor.name).sort();

		const published = [...n8n.nodes, ...n8n.credentials].map((file) =>
			file.replace(/^.*\/(\w+)\.(node|credentials)\.js$/, '$1'),
		);

		expect(published.sort()).toEqual(classes);
	});

	it.each<[string, RegExp, string[], RegExp]>([
		[
			'a changed default',
			/^simplify.*default true$/,
			['simplify: boolean, default false'],
			/^Workflows that people have saved.*never change within.*agentLeads.*: simplify.*true\nThis is new/s,
		],
		['a value that is gone', /may be "recent"$/, [], /never change within.*may be "recent"$/s],
		[
			'a parameter that is new',
			/^period .*: options/,
			['$&', 'novelty: boolean, default false'],
			/^This is new.*: novelty: boolean, default false$/s,
		],
	])('tells of %s', (_, promise, instead, message) => {
		const recorded = presentContract();

		expect(differences(recorded, changed(recorded, promise, instead))).toMatch(message);
	});
});

/** The contract with these promises in place of one of Agent Leads; `$&` stands for it. */
function changed(contract: Contract, promise: RegExp, instead: string[]): Contract {
	const holder = 'node agentLeads, version 1';
	const promises = (contract[holder] ?? []).flatMap((each) =>
		promise.test(each) ? instead.map((words) => (words.includes('$&') ? each : words)) : [each],
	);
	return { ...contract, [holder]: promises };
}
