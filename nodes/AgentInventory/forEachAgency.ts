import zip from 'lodash/zip';
import type { IExecuteFunctions } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../../service/basics/concurrency';
import type { Agency } from '../../service/inventory/agency';
import type { ItemOutcome } from '../common/itemErrors';
import { agencyFor } from '../common/inventory/readers';

/** The items that ask one agency, and what each of them wants. */
interface Group<Request> {
	agency: Agency;
	/** By input item. */
	requests: Map<number, Request>;
}

/**
 * Answers what the input items want of one agency together. An item that cannot be read fails alone; what goes wrong
 * for one agency fails the items of that agency.
 *
 * @param read what an item wants; it may throw a FieldError
 * @param answer the outcomes of these requests, in their order
 * @returns by input item
 */
export async function forEachAgency<Request>(
	context: IExecuteFunctions,
	read: (context: IExecuteFunctions, itemIndex: number) => Request,
	answer: (agency: Agency, requests: Request[]) => Promise<ItemOutcome[]>,
): Promise<ItemOutcome[]> {
	const outcomes: ItemOutcome[] = [];
	const groups = new Map<string, Group<Request>>();
	for (const item of context.getInputData().keys()) {
		try {
			const request = read(context, item);
			const { agency, limits } = await agencyFor(context, item);
			const key = JSON.stringify([agency.identity, limits]);
			const group = groups.get(key) ?? { agency, requests: new Map<number, Request>() };
			groups.set(key, group);
			group.requests.set(item, request);
		} catch (error) {
			outcomes[item] = { error };
		}
	}
	await mapConcurrently(
		[...groups.values()],
		MOST_REQUESTS_AT_ONCE,
		async ({ agency, requests }) => {
			const all = [...requests.values()];
			const failed = (error: unknown) => all.map(() => ({ error }));
			const answered = await answer(agency, all).catch(failed);
			for (const [item, outcome] of zip([...requests.keys()], answered)) {
				if (item !== undefined && outcome) outcomes[item] = outcome;
			}
		},
	);
	return outcomes;
}
