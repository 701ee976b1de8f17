import { describe, expect, it, jest } from '@jest/globals';

import { ArrivingList } from '../../../../service/http/arrivingList';
import fc from '../../../lab/properties';

interface Read {
	taken: unknown[];
	/** What is left at the end. */
	rest: string;
	/** The most characters that were held at once. */
	most: number;
}

/** Reads a text that arrives in chunks of such lengths, over and over. */
function read(text: string, lengths: number[], piece?: number): Read {
	const taken: unknown[] = [];
	const begin = () => (elements: unknown[]) => void taken.push(...elements);
	const list = new ArrivingList({ list: 'applicants', begin }, piece);
	let most = 0;
	for (let at = 0, turn = 0; at < text.length; turn++) {
		const length = lengths[turn % lengths.length] ?? 1;
		list.add(text.slice(at, at + length));
		at += length;
		most = Math.max(most, list.end().length);
	}
	return { taken, rest: list.end(), most };
}

/** The list, whichever way its elements came. */
function listOf({ taken, rest }: Read): unknown[] {
	const { applicants } = JSON.parse(rest) as { applicants: unknown[] };
	return [...taken, ...applicants];
}

const lead = (id: number) => ({ id: `lead ${id}`, message: `{"id":"no lead"},{"id":`, tags: [id] });
const LEADS = Array.from({ length: 2_000 }, (_, index) => lead(index));

describe('a list that arrives', () => {
	it.each([
		['compact', undefined],
		['with white space', 2],
	])('is handed on while it arrives, and never held as a whole: %s', (_, indentation) => {
		const text = JSON.stringify({ applicants: LEADS, total: 2_000 }, null, indentation);

		const course = read(text, [1_500], 10_000);

		expect(listOf(course)).toEqual(LEADS);
		expect(course.taken.length).toBeGreaterThan(1_800);
		expect(course.most).toBeLessThan(13_000);
		expect(JSON.parse(course.rest)).toMatchObject({ total: 2_000 });
	});

	it('may have lists of its own in its elements', () => {
		const nested = LEADS.map((one, index) => ({ ...one, children: LEADS.slice(0, index % 7) }));
		const text = JSON.stringify({ applicants: nested });

		const course = read(text, [1_500], 10_000);

		expect(listOf(course)).toEqual(nested);
		expect(course.most).toBeLessThan(25_000);
	});

	it('may have an element that is longer than all others together', () => {
		const long = [lead(1), { ...lead(2), message: 'x'.repeat(200_000) }, lead(3)];

		expect(listOf(read(JSON.stringify({ applicants: long }), [1_500], 1_000))).toEqual(long);
	});

	it('is not parsed over and over while a long element arrives', () => {
		const text = JSON.stringify({ applicants: [{ id: 'long', children: LEADS }] });
		const parse = jest.spyOn(JSON, 'parse');

		read(text, [1_500], 1_000);
		const { length: attempts } = parse.mock.calls;
		parse.mockRestore();

		expect(attempts).toBeGreaterThan(0);
		expect(attempts).toBeLessThan(100);
	});

	it('begins with a byte order mark', () => {
		const { taken, rest } = read(`\uFEFF${JSON.stringify({ applicants: LEADS })}`, [1_500], 1_000);

		expect([...taken, ...(JSON.parse(rest.trim()) as { applicants: [] }).applicants]).toEqual(
			LEADS,
		);
		expect(taken.length).toBeGreaterThan(1_900);
	});

	it.each([
		['a web page', `<html>${'"applicants":[{"id":1},{"id":2},'.repeat(50)}`],
		['another list', JSON.stringify({ appraisals: LEADS })],
		['a list behind another field', JSON.stringify({ total: 5, applicants: LEADS })],
		['the list in another one', JSON.stringify({ data: { applicants: LEADS } })],
		['a bare list', JSON.stringify(LEADS)],
		['a list of texts', JSON.stringify({ applicants: LEADS.map(({ id }) => id) })],
		['a list of lists', JSON.stringify({ applicants: LEADS.map((one) => [one]) })],
		['an empty list', JSON.stringify({ applicants: [], others: LEADS })],
		['nothing', ''],
	])('is not taken from another text: %s', (_, text) => {
		expect(read(text, [150], 1_000)).toMatchObject({ taken: [], rest: text });
	});

	it('does not go on in the list after it', () => {
		const body = { applicants: LEADS.slice(0, 20), others: LEADS };

		const course = read(JSON.stringify(body), [150], 1_000);

		expect(listOf(course)).toEqual(body.applicants);
		expect(JSON.parse(course.rest)).toMatchObject({ others: LEADS });
	});
});

describe('any list', () => {
	/** Texts and keys that look like seams. */
	const odd = fc.constantFrom(
		'},{"id":',
		'"id"',
		'{"id"',
		',{"id":1},',
		'\\',
		'\\"',
		'\u2028',
		'🏠',
		']',
		'',
	);
	const word = fc.oneof(odd, fc.string({ maxLength: 4 }));
	const element = fc.letrec((tie) => ({
		value: fc.oneof(
			{ maxDepth: 3 },
			word,
			fc.integer(),
			fc.constant(null),
			tie('list'),
			tie('object'),
		),
		list: fc.array(tie('value'), { maxLength: 3 }),
		object: fc
			.tuple(fc.boolean(), fc.dictionary(word, tie('value'), { maxKeys: 3, noNullPrototype: true }))
			.map(([isUsual, fields]) => (isUsual ? { id: 1, ...fields } : fields)),
	}));
	const body = fc.record({
		applicants: fc.array(fc.oneof({ weight: 4, arbitrary: element.object }, element.value), {
			maxLength: 8,
		}),
		rest: fc.dictionary(fc.constantFrom('total', 'others'), element.value, {
			noNullPrototype: true,
		}),
		indentation: fc.constantFrom(undefined, 1, '\r\n\t'),
	});
	const arrival = fc.tuple(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), fc.nat(60));

	it('is what it is as a whole, however it arrives', () => {
		fc.assert(
			fc.property(body, arrival, ({ applicants, rest, indentation }, [lengths, piece]) => {
				const text = JSON.stringify({ applicants, ...rest }, null, indentation);
				const whole = JSON.parse(text) as { applicants: unknown[] };

				const course = read(text, lengths, piece);

				expect(listOf(course)).toEqual(whole.applicants);
				expect({ ...(JSON.parse(course.rest) as object), applicants: [] }).toEqual({
					...whole,
					applicants: [],
				});
			}),
			{ numRuns: 3_000 },
		);
	});

	it('that is cut short is no answer, and what was taken of it is its beginning', () => {
		fc.assert(
			fc.property(
				body,
				arrival,
				fc.double({ min: 0, max: 1, noNaN: true }),
				(said, [lengths, piece], share) => {
					const { applicants, rest, indentation } = said;
					const whole = JSON.stringify({ applicants, ...rest }, null, indentation);
					const text = whole.slice(0, Math.floor(share * whole.length));

					const course = read(text, lengths, piece);

					if (text !== whole) expect(() => JSON.parse(course.rest) as unknown).toThrow(SyntaxError);
					const { applicants: all } = JSON.parse(whole) as { applicants: unknown[] };
					expect(course.taken).toEqual(all.slice(0, course.taken.length));
					expect(course.rest.slice(0, 1)).toBe(text.slice(0, 1));
				},
			),
			{ numRuns: 3_000 },
		);
	});
});
