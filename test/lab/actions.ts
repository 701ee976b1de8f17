import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';

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
