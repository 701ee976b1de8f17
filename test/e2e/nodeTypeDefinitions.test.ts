import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from '@jest/globals';
import upperFirst from 'lodash/upperFirst';
import ts from 'typescript';

import { propertyJson } from '../../nodes/common/inventory/simplifyProperty';
import { leadJson } from '../../nodes/common/leads/simplifyLead';
import inventory from '../lab/contract/inventory.json';
import leads from '../lab/contract/leads.json';
import products from '../lab/contract/products.json';
import { N8n } from '../lab/n8n';
import type { Mcp } from '../lab/n8n/mcp';
import { operationsIn, problemsIn, withAllOperations } from '../lab/n8n/typeDefinition';
import type { OutputSchema } from '../lab/outputSchema';
import { root } from '../lab/paths';
import { NODES } from '../lab/publishedTypes';
import { useInAll } from '../lab/standIn';

const PACKAGE = 'n8n-nodes-agent-integration';

/** With those that n8n makes of them for its AI Agent. */
const TYPES = NODES.flatMap(({ description: { name, usableAsTool } }) =>
	usableAsTool ? [name, `${name}Tool`] : [name],
);

/** What a service may leave out of an object that it sends. */
const SPARSE = 'type Sparse<T> = T extends object ? { [K in keyof T]?: Sparse<T[K]> } : T;';

/** A file with the output of a node, by resource and operation if it has any. */
interface SchemaFile {
	node: string;
	action: string[];
	schema: OutputSchema;
}

describe('the type definition that n8n’s AI builder reads', () => {
	const n8n = useInAll(async () => await N8n.start(), { start: 240_000, stop: 60_000 });
	let mcp: Mcp;

	beforeAll(async () => {
		mcp = await n8n.mcp();
	}, 60_000);

	it.each(TYPES)('of %s compiles', async (node) => {
		const definition = await definitionOf(node);

		expect(problemsIn(withAllOperations(definition))).toEqual([]);
	});

	it.each(schemaFiles().map((file) => [[file.node, ...file.action].join(' › '), file] as const))(
		'of %s names every field of the output, and no other',
		async (_, { node, action, schema }) => {
			expect(namesIn(await outputOf(node, ...action))).toEqual(
				Object.keys(schema.properties ?? {}),
			);
		},
	);

	it('has types that fit what the nodes put out', async () => {
		const { ApplicantPush, AppraisalPush } = leads.components.examples;
		const { Item, BranchList, NegotiatorList } = inventory.components.examples;
		const { PremiumActivation, WeeklyActivation } = products.components.examples;
		const applicant = leadJson({ ...ApplicantPush.value.applicant }, 'applicant', true);
		const appraisal = leadJson({ ...AppraisalPush.value.appraisal }, 'appraisal', true);
		const property = propertyJson({ ...Item.value }, true);
		const inSome = { attempt: 2, gap: { from: '', to: '', message: '' } };

		const lines = [
			item(await outputOf('agentLeads', 'applicantLead', 'getAll'), applicant),
			item(await outputOf('agentLeads', 'appraisalLead', 'getAll'), appraisal),
			item(await outputOf('agentLeadsPushTrigger'), applicant),
			item(await outputOf('agentLeadsTrigger'), { ...appraisal, ...inSome }),
			item(await outputOf('agentInventory', 'property', 'get'), property),
			record(await outputOf('agentInventory', 'branch', 'getAll'), BranchList.value.items[0]),
			record(
				await outputOf('agentInventory', 'negotiator', 'getAll'),
				NegotiatorList.value.items[0],
			),
			record(await outputOf('agentProducts', 'premiumListing', 'get'), PremiumActivation.value),
			record(
				await outputOf('agentProducts', 'weeklyFeaturedProperty', 'get'),
				WeeklyActivation.value,
			),
		];

		expect(problemsIn([SPARSE, ...lines].join('\n'))).toEqual([]);
	});

	it('says of each order that it spends a credit, and of nothing else', async () => {
		const definition = await definitionOf('agentProducts');
		const [head = '', ...operations] = operationsIn(definition);

		const spending = operations.filter((operation) => SPENDS.test(operation));

		expect(head).toMatch(/activate: .*\bapproval of a person\b/);
		expect(spending).toHaveLength(2);
		for (const operation of spending) {
			expect(operation).toContain("operation: 'activate'");
			expect(operation).toMatch(/\bapproval of a person\b/);
		}
	});

	it('says which trigger when, and what goes with it', async () => {
		expect(await definitionOf('agentLeads')).toContain('use Agent Leads Trigger');
		expect(await definitionOf('agentLeadsTrigger')).toMatch(/'onePerLead' .*\n/);
		expect(await definitionOf('agentLeadsTrigger')).toContain("Keep the node's name");
		expect(await definitionOf('agentLeadsPushTrigger')).toMatch(
			/can be lost.* Agent Leads Trigger with runs 'onePerLead'/,
		);
	});

	it('comes with a search whose results warn of the spending as well', async () => {
		const { results } = await mcp.call<{ results: string }>('search_nodes', {
			queries: ['premium listing'],
		});

		const [, ours = ''] = results.split(`- ${PACKAGE}.agentProducts\n`);

		expect(ours).toMatch(/@builderHint activate: .*spends a credit/i);
		expect(ours).not.toContain('undefined');
	});

	async function definitionOf(node: string): Promise<string> {
		const { definitions } = await mcp.call<{ definitions: string }>('get_node_types', {
			nodeIds: [{ nodeId: `${PACKAGE}.${node}` }],
		});
		return definitions;
	}

	/** The type of the output, as it stands in the comment of the node or of an operation. */
	async function outputOf(node: string, ...action: string[]): Promise<string> {
		const [resource, operation] = action;
		const parts = operationsIn(await definitionOf(node));
		const part = parts.find((each) =>
			resource === undefined
				? each === parts[0]
				: each.includes(`resource: '${resource}';\n  operation: '${operation}';`),
		);
		const [, output] = /@output (\{.*\})$/m.exec(part ?? '') ?? [];
		if (output === undefined) throw new Error(`No output of ${[node, ...action].join(' › ')}`);
		return output;
	}
});

const SPENDS = /\bspends a credit\b/i;

/** A line that compiles only if an item has each field of a type and no other. */
function item(type: string, value: object): string {
	return `void (${JSON.stringify(value)} satisfies ${type});`;
}

/** The same for what the service sends, which may lack fields. */
function record(type: string, value: object | undefined): string {
	return item(`Sparse<${type}>`, value ?? {});
}

/** The members of a type. */
function namesIn(type: string): string[] {
	const source = ts.createSourceFile(
		'type.ts',
		`type Output = ${type};`,
		ts.ScriptTarget.Latest,
		true,
	);
	const [statement] = source.statements;
	if (!statement || !ts.isTypeAliasDeclaration(statement) || !ts.isTypeLiteralNode(statement.type))
		throw new Error(`No type of an object: ${type}`);
	return statement.type.members.map(({ name }) => name?.getText() ?? '');
}

function schemaFiles(): SchemaFile[] {
	return NODES.flatMap(({ description: { name: node } }) => {
		const folder = join(root, 'nodes', upperFirst(node), '__schema__');
		return readdirSync(folder, { recursive: true, encoding: 'utf8' })
			.filter((path) => path.endsWith('.json'))
			.map((path) => {
				const [, ...action] = path.replace(/\.json$/, '').split('/');
				const schema = JSON.parse(readFileSync(join(folder, path), 'utf8')) as OutputSchema;
				return { node, action: action.length > 1 ? action : [], schema };
			});
	});
}
