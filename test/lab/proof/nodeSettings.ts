import type { INode, INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

type NodeParameters = INode['parameters'];
type SettingParameters = NodeParameters & { resource?: string; operation?: string };

/** A node as a person has set it up, with nothing entered yet in what is required. */
export interface Setting {
	type: string;
	parameters: SettingParameters;
	/** The labels of what is empty and must not be. */
	missing: string[];
}

const HIGHLIGHTS = { highlight: [{ id: 1, description: '' }] };

/** Each resource and operation of the package, and what else makes other parameters appear. */
export const SETTINGS: Setting[] = [
	...['applicantLead', 'appraisalLead'].flatMap((resource): Setting[] => [
		setting('agentLeads', { resource, operation: 'getAll', period: 'recent' }, []),
		setting('agentLeads', { resource, operation: 'getAll', period: 'range', filterBy: 'branch' }, [
			'From',
			'Filter IDs',
		]),
	]),
	setting('agentLeadsPushTrigger', {}, []),
	setting('agentLeadsTrigger', {}, []),
	setting('agentLeadsTrigger', { leadTypes: [], filterBy: 'group', runs: 'onePerLead' }, [
		'Trigger On',
		'Filter IDs',
	]),
	setting('agentInventoryTrigger', {}, []),
	setting('agentInventoryTrigger', { events: [], runs: 'onePerChange' }, ['Events']),
	...['address', 'text'].map((searchBy) =>
		setting('agentInventory', { resource: 'property', operation: 'search', searchBy }, ['Query']),
	),
	setting('agentInventory', { resource: 'property', operation: 'get' }, ['Property']),
	setting('agentInventory', { resource: 'property', operation: 'findForLead' }, []),
	...['property', 'branch', 'negotiator'].map((resource) =>
		setting('agentInventory', { resource, operation: 'getAll' }, []),
	),
	setting(
		'agentProducts',
		{ resource: 'premiumListing', operation: 'activate', highlights: HIGHLIGHTS },
		['Listing ID'],
	),
	setting(
		'agentProducts',
		{ resource: 'weeklyFeaturedProperty', operation: 'activate', listingIdType: 'customer' },
		['Listing ID'],
	),
	...['premiumListing', 'weeklyFeaturedProperty'].flatMap((resource) => [
		setting('agentProducts', { resource, operation: 'get' }, ['Activation ID']),
		setting('agentProducts', { resource, operation: 'getAll' }, []),
	]),
	setting(
		'agentProducts',
		{ resource: 'premiumListing', operation: 'updateHighlights', highlights: HIGHLIGHTS },
		['Activation ID'],
	),
];

function setting(type: string, parameters: SettingParameters, missing: string[]): Setting {
	return { type, parameters, missing };
}

/** What a node can do, each as resource and operation; one empty entry when there is nothing to choose. */
export function actionsOf({ properties }: INodeTypeDescription): string[] {
	const operations = properties.filter(({ name }) => name === 'operation');
	if (operations.length === 0) return [''];
	return operations.flatMap((property) => {
		const resources = property.displayOptions?.show?.resource ?? [];
		return resources.flatMap((resource) =>
			valuesOf(property).map((operation) => `${textOf(resource)} ${operation}`),
		);
	});
}

/** The action of a setting, as `actionsOf` spells it. */
export function actionOf({ parameters: { resource = '', operation = '' } }: Setting): string {
	return `${resource} ${operation}`.trim();
}

/** n8n adds an entry of its own to the lists of resources and operations. */
const CUSTOM_CALL = '__CUSTOM_API_CALL__';

function valuesOf({ options = [] }: INodeProperties): string[] {
	return options.flatMap((option) =>
		'value' in option && option.value !== CUSTOM_CALL ? [String(option.value)] : [],
	);
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** The parameters with all there is to add from lists such as Options, so that each of them is on the screen. */
export function withAllAdded(
	type: INodeTypeDescription,
	parameters: NodeParameters,
): NodeParameters {
	const defaults = NodeHelpers.getNodeParameters(
		type.properties,
		parameters,
		true,
		false,
		null,
		type,
	);
	const values = { ...defaults, ...parameters };
	const all: NodeParameters = { ...parameters };
	for (const property of type.properties.filter(({ type }) => type === 'collection')) {
		if (!NodeHelpers.displayParameter(values, property, null, type)) continue;
		all[property.name] = defaultsOf(property);
	}
	return all;
}

function defaultsOf({ options = [] }: INodeProperties): NodeParameters {
	const defaults: NodeParameters = {};
	for (const option of options) if ('default' in option) defaults[option.name] = option.default;
	return defaults;
}

/**
 * The descriptions that a node shows of its parameters, by their labels; not n8n's own poll times, nor what only a tool
 * of an AI agent has.
 */
export function descriptionsOf({ properties }: INodeTypeDescription): Map<string, string[]> {
	const ours = properties.filter(
		({ name, displayOptions }) => name !== 'pollTimes' && !displayOptions?.show?.['@tool'],
	);
	const all = new Map<string, string[]>();
	for (const { displayName, description } of ours.flatMap(withNested)) {
		if (!description) continue;
		const shown = description.replace(/<[^<>]+>/g, '');
		all.set(displayName, [...(all.get(displayName) ?? []), shown]);
	}
	return all;
}

function withNested(property: INodeProperties): INodeProperties[] {
	const nested = (property.options ?? []).flatMap((option) => {
		if ('values' in option) return option.values;
		return 'type' in option ? [option] : [];
	});
	return [property, ...nested.flatMap(withNested)];
}
