import { describe, expect, it } from '@jest/globals';

import { empty, json } from '../../../lab/engine/relay';
import { AGENCY } from '../../../lab/engine/inventory';
import {
	answering,
	gateway,
	getMany,
	isList,
	page,
	problem,
	search,
	text,
	useAgencies,
	WRONG_ADDRESS,
} from './strangeAnswers';

const { bench, relay } = useAgencies();

describe('a 404 to a list', () => {
	it.each([
		['the service’s problem', problem, search('address')],
		['the service’s problem', problem, search('text')],
		['the service’s problem', problem, getMany],
		['no body', empty(404), search('address')],
		['an empty object', json(404, {}), search('address')],
	])('with %s means that there are no rows', async (_, answer, parameters) => {
		relay.answer(answering(isList, answer));

		const run = await bench.run(parameters);

		expect(run.error).toBeUndefined();
		expect(run.items).toEqual([]);
	});

	it.each([
		['a web page', page, search('address')],
		['a gateway’s words', gateway, search('address')],
		['text', text, search('address')],
		['a web page', page, getMany],
		['no body, where none is documented', empty(404), getMany],
		['no body, where none is documented', empty(404), search('text')],
	])('with %s is about the address', async (_, answer, parameters) => {
		relay.answer(answering(isList, answer));

		expect((await bench.run(parameters)).error?.message).toBe(WRONG_ADDRESS);
	});

	it('in the middle of its pages is no end of it', async () => {
		bench.sandbox.inventory.fill(AGENCY, 600);
		relay.answer(answering((asked) => isList(asked) && asked.query.has('next-token'), problem));

		const { error } = await bench.run({ ...getMany, returnAll: true });

		expect(error?.message).toBe(
			'The service’s list broke off: it does not know its own next page (404)',
		);
		expect(error?.failure).toMatchObject({ cause: 'temporarily-unavailable' });
	});
});

describe('an answer where a list is expected', () => {
	it.each([
		['{}', {}],
		['items: null', { items: null, meta: { nextToken: null } }],
		['no items', { meta: {} }],
		['items: []', { items: [] }],
	])('%s is an empty list', async (_, body) => {
		relay.answer(answering(isList, json(200, body)));

		for (const parameters of [search('address'), search('text'), getMany]) {
			const run = await bench.run(parameters);
			expect(run.error).toBeUndefined();
			expect(run.items).toEqual([]);
		}
	});

	it.each([
		['[]', []],
		['null', null],
		['{ branches }', { branches: [] }],
		['{ message }', { message: 'hello' }],
		['items: {}', { items: {} }],
		['items: [null]', { items: [null] }],
		['items: "none"', { items: 'none' }],
	])('%s is an error', async (_, body) => {
		relay.answer(answering(isList, json(200, body)));

		expect((await bench.run(getMany)).error?.message).toMatch(
			/without a list of properties|unknown shape/,
		);
	});

	it.each(['application/json', 'text/json', 'text/plain', 'text/plain; charset=utf-8'])(
		'may come as %s',
		async (type) => {
			relay.answer(async (_, pass) => {
				const answer = await pass();
				return answer === 'lost'
					? answer
					: { ...answer, headers: { ...answer.headers, 'content-type': type } };
			});

			for (const parameters of [search('address'), search('text'), getMany]) {
				expect((await bench.run({ ...parameters, limit: 3 })).items).toHaveLength(3);
			}
		},
	);

	it('as text/plain may say what was refused', async () => {
		const body = JSON.stringify({ title: 'Not accepted', status: 400, detail: 'no such branch' });
		relay.answer(
			answering(isList, { status: 400, headers: { 'content-type': 'text/plain' }, body }),
		);

		expect((await bench.run(getMany)).error?.description).toContain('no such branch');
	});
});
