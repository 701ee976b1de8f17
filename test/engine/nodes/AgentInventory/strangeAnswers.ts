import { beforeEach } from '@jest/globals';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { NodeRun } from '../../../lab/engine/engine';
import type { Answer, Asked, Change } from '../../../lab/engine/relay';
import { json } from '../../../lab/engine/relay';
import { AGENCY, InventoryBench, OTHER_AGENCY } from '../../../lab/engine/inventory';
import { useBench, useRelay } from '../../../lab/engine/useBench';

/** For what the service may answer and the sandbox never does. */

export const problem = json(404, {
	type: null,
	title: 'Not found',
	status: 404,
	detail: null,
	instance: null,
});
export const page: Answer = {
	status: 404,
	headers: { 'content-type': 'text/html' },
	body: '<html><body>404</body></html>',
};
export const gateway = json(404, { message: 'no Route matched with those values' });
export const text: Answer = {
	status: 404,
	headers: { 'content-type': 'text/plain' },
	body: 'not found',
};

export const isList = ({ path }: Asked) => /\/inventory(\/search|\/filter)?$/.test(path);
export const isBatch = ({ path }: Asked) => path.endsWith('/inventory/items');
export const isOfOneId = ({ path }: Asked) => /\/inventory\/\d+$/i.test(path);

export const answering =
	(which: (asked: Asked) => boolean, answer: Answer): Change =>
	async (asked, pass) =>
		which(asked) ? answer : await pass();

/** Changes the body of the answers to some requests. */
export const changing =
	(which: (asked: Asked) => boolean, change: (body: IDataObject) => unknown): Change =>
	async (asked, pass) => {
		const answer = await pass();
		if (answer === 'lost' || !which(asked) || answer.status !== 200) return answer;
		return { ...answer, body: JSON.stringify(change(JSON.parse(answer.body) as IDataObject)) };
	};

export const search = (searchBy: string): INodeParameters => ({
	operation: 'search',
	searchBy,
	query: 'a',
});

export const getMany: INodeParameters = { operation: 'getAll' };

export const get: INodeParameters = {
	operation: 'get',
	propertyId: '={{ $json.id }}',
	options: { agencyRef: '={{ $json.agency }}' },
};

export const MISSING = 'The service found no such property (404)';
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
		batches: () => relay.asked.filter(isBatch).length,
	};
}

export function wantedItems(wanted: unknown[], agency = AGENCY): INodeExecutionData[] {
	return wanted.map((id) => ({ json: { id: id as string, agency } }));
}

/** By item: the ID of its property, or what went wrong. */
export function outcomesOf(run: NodeRun): unknown[] {
	return run.items.map(({ json: item }) => item.id ?? item.error);
}

export function rows(body: IDataObject): IDataObject[] {
	return body.items as IDataObject[];
}
