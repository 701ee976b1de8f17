import type { Property } from './propertyData';
import { lastChangeOf } from './propertyData';
import { seedOf } from './random';

/** What a page is cut for. A token is of no use for another question. */
interface PageRequest {
	found: Property[];
	size: number;
	/** Null: the first page. */
	token: string | null;
	question: string;
}

const ORDERS = {
	/** as the agency got them; changes move none */
	stored: () => 0,
	oldestModified: (one: Property, other: Property) => lastChangeOf(one) - lastChangeOf(other),
	newestModified: (one: Property, other: Property) => lastChangeOf(other) - lastChangeOf(one),
};

/**
 * How the lists are cut into pages. The contract says neither in which order rows come nor what a token holds: here it holds
 * how many rows came before. So a row may slip over the edge between two pages when the list changes while it is read.
 */
export class Paging {
	order: keyof typeof ORDERS = 'stored';

	/** @returns undefined: the token is not one of this question */
	cut({ found, size, token, question }: PageRequest) {
		const tokenAt = (row: number) => `${row}.${seedOf(question)}`;
		const start = parseInt(token ?? '0', 10);
		if (token !== null && token !== tokenAt(start)) return undefined;
		const end = start + size;
		const items = [...found].sort(ORDERS[this.order]).slice(start, end);
		const nextToken = end < found.length ? tokenAt(end) : null;
		return { items, nextToken, previousToken: null };
	}
}
