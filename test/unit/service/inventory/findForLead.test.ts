import { setImmediate } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { MOST_REQUESTS_AT_ONCE } from '../../../../service/basics/concurrency';
import { ServiceError } from '../../../../service/failure';
import { textOf } from '../../../../service/basics/values';
import { Agency } from '../../../../service/inventory/agency';
import { leadAddress } from '../../../../service/inventory/addressMatch';
import type { Match, Query } from '../../../../service/inventory/findForLead';
import { findForLeads, uprnText } from '../../../../service/inventory/findForLead';
import type { Session } from '../../../../service/session';

const LINE = '14 Mill Lane, Littleford, CD2 5GH';

const lead = (more: { uprn?: string; reference?: string; line?: string } = {}): Query => ({
	uprn: uprnText(more.uprn),
	reference: more.reference ?? '',
	address: leadAddress(more.line ?? LINE),
});

interface Property extends IDataObject {
	id: string;
}

const property = (id: string, address: IDataObject = {}, uprn: string | null = null): Property => ({
	...{ id, uprn },
	address: {
		...{ subDwelling: null, nameNo: '14', street: 'Mill Lane' },
		...{ town: 'Littleford', postcode: 'CD2 5GH', ...address },
	},
});

const OWN = property('5001', {}, '990000000001');
const ELSEWHERE = property('5003', { postcode: 'CD2 5GJ' });

/** An inventory that finds by words what the test says, and has these properties. */
function inventory(properties: Property[], found: Record<string, Property[] | ServiceError>) {
	const searches: unknown[] = [];
	const reads: string[][] = [];
	/** In place of the record or of the batch that holds it. */
	const failures = new Map<string, ServiceError>();
	const search = (query: IDataObject) => {
		searches.push(query.query);
		const hits = found[textOf(query.query)] ?? [];
		if (hits instanceof ServiceError) throw hits;
		return { items: hits.map(({ id, address }) => ({ inventoryId: id, address })) };
	};
	const read = (ids: string[]) => {
		reads.push(ids);
		const failure = ids.map((id) => failures.get(id)).find((each) => each !== undefined);
		// A batch leaves out what is not there; the request for it alone says so.
		if (failure && failure.kind !== 'missing') throw failure;
		const items = properties.filter(({ id }) => ids.includes(id));
		return { items };
	};
	const readAlone = (path: string) => {
		const id = path.split('/').at(-1) ?? '';
		const failure = failures.get(id);
		if (failure) throw failure;
		return properties.find((each) => each.id === id) ?? {};
	};
	const session: Pick<Session, 'get'> = {
		get: async ({ path, query = {} }) => {
			await setImmediate();
			const ids = query['inventory-id'];
			if (Array.isArray(ids)) return read(ids as string[]);
			return 'query' in query ? search(query) : readAlone(path);
		},
	};
	return { agency: new Agency(session as Session, 'AG1001'), searches, reads, failures };
}

async function find(bench: ReturnType<typeof inventory>, ...leads: Query[]) {
	const outcomeOf = await findForLeads(bench.agency, leads);
	return leads.map(outcomeOf);
}

const NONE: Match = { matchedBy: null, records: [] };
const DOWN = new ServiceError('unavailable', 'down').afterTries(3, 0);

describe('the properties of leads', () => {
	it.each([
		['there is no address', '', []],
		['nothing is found', '14 Mill Lane', ['14 Mill Lane']],
	])('are none where %s', async (_, line, searches) => {
		const bench = inventory([OWN], {});

		expect(await find(bench, lead({ line }))).toEqual([NONE]);
		expect(bench.searches).toEqual(searches);
		expect(bench.reads).toEqual([]);
	});

	it('are not those of another postcode', async () => {
		const bench = inventory([ELSEWHERE], { 'CD2 5GH': [ELSEWHERE] });

		expect(await find(bench, lead({ uprn: '1' }))).toEqual([NONE]);
		expect(bench.reads).toEqual([]);
	});

	it('may be rows without a postcode, or of any if the lead has none', async () => {
		const bare = property('5004', { postcode: null });
		const bench = inventory([bare, ELSEWHERE], {
			...{ 'CD2 5GH': [bare] },
			'14 Mill Lane': [ELSEWHERE],
		});

		await find(bench, lead({ uprn: '1' }), lead({ uprn: '1', line: '14 Mill Lane' }));

		expect(bench.reads.flat().sort()).toEqual(['5003', '5004']);
	});

	it('are found by the agency’s reference', async () => {
		const bench = inventory([OWN], {});

		expect(await find(bench, lead({ reference: '5001' }))).toEqual([
			{ matchedBy: 'reference', records: [OWN] },
		]);
		expect(bench.reads).toEqual([['5001']]);
	});

	it('are not rows whose ID is none', async () => {
		const odd = property('..');
		const bench = inventory([OWN], { 'CD2 5GH': [OWN, odd, OWN] });

		expect(await find(bench, lead())).toEqual([{ matchedBy: 'address', records: [OWN] }]);
		expect(bench.reads).toEqual([['5001']]);
	});
});

describe('what goes wrong', () => {
	it('with a search is the outcome of its leads alone', async () => {
		const busy = new ServiceError('busy', 'later');
		const bench = inventory([ELSEWHERE], { 'CD2 5GH': busy, 'CD2 5GJ': [ELSEWHERE] });

		const outcomes = await find(bench, lead(), lead({ line: '14 Mill Lane, CD2 5GJ' }));

		expect(outcomes[0]).toBe(busy);
		expect(outcomes[1]).not.toBeInstanceOf(ServiceError);
		expect(bench.searches.sort()).toEqual(['CD2 5GH', 'CD2 5GJ']);
	});

	it('in every try ends the searches that have not begun', async () => {
		const lines = Array.from({ length: MOST_REQUESTS_AT_ONCE + 2 }, (_, index) => `AB${index} 1CD`);
		const bench = inventory([], Object.fromEntries(lines.map((line) => [line, DOWN])));

		const outcomes = await find(bench, ...lines.map((line) => lead({ line })));

		expect(outcomes).toEqual(lines.map(() => DOWN));
		expect(bench.searches.length).toBeLessThanOrEqual(MOST_REQUESTS_AT_ONCE);
	});

	it('that does not pass does not end the other searches', async () => {
		const failure = new ServiceError('rejected', 'no').afterTries(3, 0);
		const lines = Array.from(
			{ length: MOST_REQUESTS_AT_ONCE + 2 },
			(_each, index) => `AB${index} 1CD`,
		);
		const bench = inventory([], Object.fromEntries(lines.map((line) => [line, failure])));

		await find(bench, ...lines.map((line) => lead({ line })));

		expect(bench.searches).toHaveLength(lines.length);
	});

	it('with the record of a property that was found is the outcome', async () => {
		const bench = inventory([OWN], { 'CD2 5GH': [OWN, ELSEWHERE] });
		const refused = new ServiceError('rejected', 'no', { status: 400 });
		bench.failures.set('5001', refused);

		expect(await find(bench, lead())).toEqual([refused]);
		expect(await find(bench, lead({ reference: '5001' }))).toEqual([refused]);
	});

	it.each([404, 400])(
		'with a reference that the service answers %d means that it is no ID',
		async (status) => {
			const bench = inventory([OWN], { 'CD2 5GH': [OWN] });
			bench.failures.set('REF-7', new ServiceError('rejected', 'no', { status }));

			const matches = await find(bench, lead({ reference: 'REF-7' }));

			expect(matches).toEqual([{ matchedBy: 'address', records: [OWN] }]);
		},
	);

	it('with a reference in another way is the outcome', async () => {
		const bench = inventory([OWN], {});
		bench.failures.set('REF-7', DOWN);

		expect(await find(bench, lead({ reference: 'REF-7' }))).toEqual([DOWN]);
	});

	it('with a property that is gone meanwhile means that it is none', async () => {
		const bench = inventory([], { 'CD2 5GH': [OWN] });
		bench.failures.set('5001', new ServiceError('missing', 'gone', { status: 404 }));

		expect(await find(bench, lead())).toEqual([NONE]);
	});
});
