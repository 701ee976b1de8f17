import { jsonIn } from '../values';
import type { Property } from './propertyData';
import { lastChangeOf } from './propertyData';

/** The last row of a page, as a cursor remembers it. */
interface Place {
	modified: number;
	id: string;
}

export interface Page {
	items: Property[];
	nextToken: string | null;
	previousToken: string | null;
}

/** What a page was cut for. A token is of no use for another question. */
export interface PageRequest {
	found: Property[];
	size: number;
	/** Undefined: the first page. */
	token: string | undefined;
	question: string;
}

const ORDERS = {
	/** as the agency got them; changes move none */
	stored: () => 0,
	oldestModified: (one: Property, other: Property) => byTime(one, other),
	newestModified: (one: Property, other: Property) => byTime(other, one),
};

/**
 * How the lists are cut into pages. The contract says neither in which order rows come nor what a token holds. So a row may
 * slip over the edge between two pages when the list changes while it is read.
 */
export class Paging {
	order: keyof typeof ORDERS = 'stored';
	/** What a token holds: how many rows came before, or behind which row the page starts. */
	tokens: 'offset' | 'cursor' = 'offset';

	/** @returns undefined: the token is not one of this question */
	cut({ found, size, token, question }: PageRequest): Page | undefined {
		const rows = this.order === 'stored' ? found : [...found].sort(ORDERS[this.order]);
		const place = token === undefined ? '0' : this.placeIn(token, question);
		if (place === undefined) return undefined;
		const start = place.startsWith('{') ? this.behind(rows, place) : Number(place);
		const end = start + size;
		return {
			items: rows.slice(start, end),
			nextToken: end < rows.length ? this.sealed(this.placeOf(rows, end), question) : null,
			previousToken: start > 0 ? this.sealed(String(Math.max(0, start - size)), question) : null,
		};
	}

	private placeOf(rows: Property[], start: number): string {
		const last = rows[start - 1];
		if (this.tokens === 'offset' || last === undefined) return String(start);
		return JSON.stringify({ modified: lastChangeOf(last), id: last.id } satisfies Place);
	}

	/** @returns the index of the first row behind a place, even if the row that stood there has moved */
	private behind(rows: Property[], text: string): number {
		const { modified, id } = JSON.parse(text) as Place;
		const isBehind = (row: Property) => {
			if (this.order === 'stored') return Number(row.id) > Number(id);
			const later = lastChangeOf(row) - modified || Number(row.id) - Number(id);
			return this.order === 'oldestModified' ? later > 0 : later < 0;
		};
		const index = rows.findIndex(isBehind);
		return index < 0 ? rows.length : index;
	}

	private sealed(place: string, question: string): string {
		return Buffer.from(JSON.stringify([question, place])).toString('base64url');
	}

	/** @returns undefined: the token is not one of this question */
	private placeIn(token: string, question: string): string | undefined {
		const held = jsonIn(Buffer.from(token, 'base64url').toString());
		const [asked, place]: unknown[] = Array.isArray(held) ? held : [];
		return asked === question && typeof place === 'string' ? place : undefined;
	}
}

/** A total order: of two that were modified at the same time, the one with the lower ID is the older one. */
function byTime(one: Property, other: Property): number {
	return lastChangeOf(one) - lastChangeOf(other) || Number(one.id) - Number(other.id);
}
