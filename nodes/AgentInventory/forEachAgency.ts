import type { IExecuteFunctions } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../../service/basics/concurrency';
import type { Agency } from '../../service/inventory/agency';
import type { ItemOutcome } from '../common/itemErrors';
import { agencyFor } from '../common/inventory/readers';

/** An agency, and the requests of the input items that read from this agency. */
interface Group<Request> {
	agency: Agency;
	asked: Array<{ item: number; request: Request }>;
}

/**
 * Groups the input items by the agency that they read from, and handles the requests of each group together. An item
 * with a wrong field fails alone. If the requests to an agency fail, all items of that agency fail. The retry options
 * of an agency's first item apply to all items of the agency.
 *
 * @param read reads the request of an item from the item's fields; it may throw a FieldError
 * @param answer sends the requests of one agency, and returns a function that gives the outcome of each request
 * @returns the outcomes in the order of the input items
 */
export async function forEachAgency<Request>(
	context: IExecuteFunctions,
	read: (context: IExecuteFunctions, itemIndex: number) => Request,
	answer: (agency: Agency, requests: Request[]) => Promise<(request: Request) => ItemOutcome>,
): Promise<ItemOutcome[]> {
	const outcomes: ItemOutcome[] = [];
	const groups = new Map<string, Group<Request>>();
	for (const item of context.getInputData().keys()) {
		try {
			const request = read(context, item);
			const agency = await agencyFor(context, item);
			const group = groups.get(agency.identity) ?? { agency, asked: [] };
			groups.set(agency.identity, group);
			group.asked.push({ item, request });
		} catch (error) {
			outcomes[item] = { error };
		}
	}
	await mapConcurrently([...groups.values()], MOST_REQUESTS_AT_ONCE, async ({ agency, asked }) => {
		const requests = asked.map(({ request }) => request);
		const failed = (error: unknown) => () => ({ error });
		const outcomeOf = await answer(agency, requests).catch(failed);
		for (const { item, request } of asked) outcomes[item] = outcomeOf(request);
	});
	return outcomes;
}
