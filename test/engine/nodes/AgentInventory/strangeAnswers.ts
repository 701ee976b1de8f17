import { beforeEach } from '@jest/globals';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { NodeRun } from '../../../lab/engine/engine';
import type { Answer, Asked, Change } from '../../../lab/engine/relay';
import { AGENCY, InventoryBench, OTHER_AGENCY } from '../../../lab/engine/inventory';
import { useBench, useRelay } from '../../../lab/engine/useBench';

/** For what the service may answer and the sandbox never does. */

export const page: Answer = {
	status: 404,
	headers: { 'content-type': 'text/html' },
	body: '<html><body>404</body></html>',
};
export const isList = ({ path }: Asked) => /\/inventory(\/search|\/filter)?$/.test(path);
export const answering =
	(which: (asked: Asked) => boolean, answer: Answer): Change =>
	async (asked, pass) =>
		which(asked) ? answer : await pass();

export const get: INodeParameters = {
	operation: 'get',
	propertyId: '={{ $json.id }}',
	options: { agencyRef: '={{ $json.agency }}' },
};

export const WRONG_ADDRESS = 'The service found nothing at this address (404)';

/** Two agencies with properties, and a relay that may change what the service answers. */
export function useAgencies() {
	const bench = useBench(InventoryBench);
	const relay = useRelay(bench);
	beforeEach(() => {
		bench.fill(200);
		bench.fill(200, OTHER_AGENCY);
	});
	return {
		bench,
		relay,
		ids: (agencyRef = AGENCY) => bench.sandbox.inventory.of(agencyRef).map(({ id }) => id),
		/** Gets what the items name; a failed one becomes an item too. */
		getAllOf: async (input: INodeExecutionData[]) =>
			await bench.run(get, { input, onError: 'continueRegularOutput' }),
	};
}

export function wantedItems(wanted: unknown[], agency = AGENCY): INodeExecutionData[] {
	return wanted.map((id) => ({ json: { id: id as string, agency } }));
}

/** By item: the ID of its property, or what went wrong. */
export function outcomesOf(run: NodeRun): unknown[] {
	return run.items.map(({ json: item }) => item.id ?? item.error);
}
