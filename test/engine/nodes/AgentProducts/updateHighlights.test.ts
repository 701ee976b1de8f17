import { describe, expect, it } from '@jest/globals';
import omit from 'lodash/omit';

import type { Answer, Change, Shown } from '../../../lab/engine/relay';
import { eachActivation, empty, json } from '../../../lab/engine/relay';
import { looks, page } from '../../../lab/engine/productAnswers';
import { useRelay } from '../../../lab/engine/useBench';
import { firstIdOf } from '../../../lab/engine/products';
import { useQuickProducts } from '../../../lab/engine/useQuickProducts';

const bench = useQuickProducts();

describe('update highlights', () => {
	const made = async (listingId = 123) => {
		const run = await bench.run({ listingId });
		return firstIdOf(run);
	};

	const update = async (activationId: string, more = {}) =>
		await bench.run({
			operation: 'updateHighlights',
			activationId,
			highlights: { highlight: [{ id: 5, description: 'New kitchen' }] },
			...more,
		});

	it('changes the highlights', async () => {
		const id = await made();

		const run = await update(id);

		expect(run.items[0]?.json).toMatchObject({ id, status: { currently: 'WAITING_FOR_UPDATE' } });

		const after = await bench.run({ operation: 'get', activationId: id });

		expect(after.items[0]?.json.highlights).toEqual([
			{ id: 5, description: 'New kitchen', key: 'highlight-5' },
		]);
	});

	it.each([
		['429', { kind: 'status', status: 429 }],
		['a reset before', { kind: 'reset' }],
		['a reset after', { kind: 'reset', when: 'after' }],
		['500 after', { kind: 'status', status: 500, when: 'after' }],
		['an expired token', { kind: 'status', status: 401 }],
	] as const)('changes them once in spite of %s', async (_, fault) => {
		const id = await made();
		bench.sandbox.products.configure({ settleAfterGets: 1 });
		bench.sandbox.faults.add({ method: 'PATCH', ...fault });

		const run = await update(id);

		expect(run.items[0]?.json).toMatchObject({ id });

		bench.sandbox.products.settle(id);

		expect(bench.sandbox.products.list('premium-listings')[0]?.shown.highlights).toEqual([
			{ id: 5, description: 'New kitchen', key: 'highlight-5' },
		]);
	});

	it('says why they cannot be changed', async () => {
		bench.sandbox.products.configure({ settleAfterGets: null });
		const pending = await bench.run({ waitForResult: false });

		const { error } = await update(firstIdOf(pending));

		expect(error?.message).toMatch(/^The highlights were not changed: the premium listing is not/);

		const unknown = await update('4f7a2c1e-0000-4000-8000-000000000001');

		expect(unknown.error?.message).toBe('The service found no such activation (404)');
	});
});

describe('a change of the highlights', () => {
	const relay = useRelay(bench);

	const update = async (id: string, highlight: number, more = {}) =>
		await bench.run({
			operation: 'updateHighlights',
			activationId: id,
			highlights: { highlight: [{ id: highlight }] },
			...more,
		});

	const failPatch = (when: 'before' | 'after') =>
		bench.sandbox.faults.add({ method: 'PATCH', kind: 'reset', when });

	const highlightsOf = (id: string) =>
		bench.sandbox.products.find('premium-listings', id)?.shown.highlights;

	it('that was lost is not taken for the one that is under way', async () => {
		const id = bench.somebodys(123, 'ACTIVATED');
		bench.sandbox.products.configure({ settleAfterGets: null });
		await update(id, 1);
		failPatch('before');

		const { items, error } = await update(id, 2);

		expect(items).toEqual([]);
		expect(error?.message).toBe(
			'It is not known whether the highlights were changed: A change of the highlights is still under way',
		);

		bench.sandbox.products.settle(id);

		expect(highlightsOf(id)).toMatchObject([{ id: 1 }]);
	});

	it('that was lost is made once the one under way is done', async () => {
		const id = bench.somebodys(123, 'ACTIVATED');
		bench.sandbox.products.configure({ settleAfterGets: 1 });
		await update(id, 1);
		failPatch('before');

		const { error } = await update(id, 2);

		expect(error).toBeUndefined();

		bench.sandbox.products.settle(id);

		expect(highlightsOf(id)).toMatchObject([{ id: 2 }]);
	});

	it.each([
		['done', { settleAfterMs: 0 }, ['PATCH id 0', 'GET id 200']],
		[
			'done a little later',
			{ settleAfterGets: 2 },
			['PATCH id 0', 'GET id 200', 'GET id 200', 'GET id 200'],
		],
	])('whose answer is lost is not sent again if it is %s', async (_, behaviour, exchanges) => {
		const id = bench.somebodys(123, 'ACTIVATED');
		bench.sandbox.products.configure(behaviour);
		failPatch('after');

		const run = await update(id, 2);

		expect(run.items[0]?.json).toMatchObject({ id, highlights: [{ id: 2 }] });
		expect(relay.exchanges).toEqual(exchanges);
	});

	const ID = '4f7a2c1e-0000-4000-8000-000000000001';

	/** Answers changes, once the service has taken them. */
	const changes =
		(answerOf: (shown: Shown) => Answer): Change =>
		async ({ method }, pass) => {
			const answer = await pass();
			if (method !== 'PATCH' || answer === 'lost') return answer;
			return answerOf(JSON.parse(answer.body) as Shown);
		};

	it('that is answered by the sandbox with an array of one is done', async () => {
		const id = bench.somebodys(123, 'ACTIVATED');
		bench.sandbox.products.configure({ updateAnswer: 'array', settleAfterGets: null });

		const run = await update(id, 2);

		expect(run.items).toMatchObject([
			{ json: { id, status: { currently: 'WAITING_FOR_UPDATE' } } },
		]);
		expect(relay.exchanges).toEqual(['PATCH id 202']);
	});

	it.each<[string, (shown: Shown) => unknown, string[]]>([
		['the activation', (shown) => shown, []],
		['an array of one', (shown) => [shown], []],
		['an array of one without an ID', (shown) => [omit(shown, 'id')], []],
		['an array of several', (shown) => [{ ...shown, id: ID }, shown], []],
		['an empty array', () => [], ['GET id 200']],
		['an array of another one', (shown) => [{ ...shown, id: ID }], ['GET id 200']],
		[
			'an array of others',
			(shown) => [
				{ ...shown, id: ID },
				{ ...shown, id: 'x' },
			],
			['GET id 200'],
		],
		['an array of nothing', () => [null], ['GET id 200']],
		['another activation', (shown) => ({ ...shown, id: ID }), ['GET id 200']],
		['an object', () => ({ message: 'Accepted' }), ['GET id 200']],
		['nothing', () => null, ['GET id 200']],
		['a word', () => 'Accepted', ['GET id 200']],
	])('that is taken with %s is done', async (_, shown, more) => {
		const id = bench.somebodys(123, 'ACTIVATED');
		relay.answer(changes((activation) => json(202, shown(activation))));

		const run = await update(id, 2);

		expect(run.items).toHaveLength(1);
		expect(run.items[0]?.json).toMatchObject({ listingId: 123 });
		expect([id, undefined]).toContain(run.items[0]?.json.id);
		expect(relay.exchanges).toEqual(['PATCH id 202', ...more]);
	});

	it('that is taken with an answer that is cut short is done', async () => {
		const id = bench.somebodys(123, 'ACTIVATED');
		relay.answer(changes(() => ({ ...json(202, {}), body: '{"id":' })));

		const run = await update(id, 2);

		expect(run.items[0]?.json).toMatchObject({ id });
		expect(relay.exchanges).toEqual(['PATCH id 202', 'GET id 200']);
	});

	it.each<[string, Answer, string]>([
		['a page', { ...page, status: 202 }, 'It is not known whether the highlights were changed: '],
		[
			'errors alone',
			json(202, { errors: [{ reason: 'No', code: 1_011_905 }] }),
			'The highlights were not changed: the service does not accept the highlights',
		],
		[
			'200 and a word',
			json(200, 'Accepted'),
			'It is not known whether the highlights were changed: ',
		],
	])('that is answered with %s is not taken for done', async (_, answer, message) => {
		const id = bench.somebodys(123, 'ACTIVATED');
		relay.answer(async ({ method }, pass) => (method === 'PATCH' ? answer : await pass()));

		const { items, error } = await update(id, 2, { options: { maxTries: 1 } });

		expect(items).toEqual([]);
		expect(error?.message).toContain(message);
	});

	it.each([
		['not active', 1_011_043, 'the premium listing is not active', /Activate it first/],
		[
			'an update in flight',
			1_011_044,
			'an earlier change of its highlights is still under way',
			/again in a few minutes/,
		],
		[
			'no code',
			undefined,
			'the premium listing is not active, or an earlier change is still under way',
			/Check its status with Get/,
		],
	])('that is refused with 409 is explained: %s', async (_, code, problem, remedy) => {
		const id = bench.somebodys(123, 'ACTIVATED');
		const answer =
			code === undefined ? empty(409) : json(409, { errors: [{ reason: 'No', code }] });
		relay.answer(async ({ method }, pass) => (method === 'PATCH' ? answer : await pass()));

		const { error } = await update(id, 2);

		expect(error?.message).toBe(`The highlights were not changed: ${problem}`);
		expect(error?.description).toMatch(remedy);
	});

	it('does not send the keys with which highlights come back', async () => {
		const id = bench.somebodys(123, 'ACTIVATED');
		bench.sandbox.products.configure({ settleAfterMs: 0 });
		const shown = { id: 7, description: 'Garden', key: 'garden' };

		const run = await update(id, 2, { highlights: { highlight: [shown] } });

		expect(run.error).toBeUndefined();
		expect(highlightsOf(id)).toEqual([{ ...shown, key: 'highlight-7' }]);
	});

	it.each<[string, (highlight: Shown) => Shown]>([
		['a key', (highlight) => ({ ...highlight, key: 'k' })],
		['an empty description', (highlight) => ({ ...highlight, description: '' })],
		['no description', (highlight) => ({ ...highlight, description: null })],
	])('that was lost is known to be made by its highlights, shown with %s', async (_, change) => {
		const id = bench.somebodys(123, 'ACTIVATED');
		bench.sandbox.products.configure({ settleAfterMs: 0 });
		relay.answer(
			eachActivation(({ highlights, ...shown }) => ({
				...shown,
				highlights: (highlights as Shown[]).map(change),
			})),
		);
		failPatch('after');

		expect((await update(id, 2)).error).toBeUndefined();
		expect(relay.exchanges).toEqual(['PATCH id 0', 'GET id 200']);
	});

	const wordless: Change = async ({ method }, pass) => {
		const answer = await pass();
		return method === 'PATCH' && answer !== 'lost' ? { ...answer, body: '' } : answer;
	};

	it('that is taken without a word is read', async () => {
		const id = bench.somebodys(123, 'ACTIVATED');
		relay.answer(wordless);

		const run = await update(id, 2);

		expect(run.items[0]?.json).toMatchObject({ id, highlights: [{ id: 2 }] });
		expect(relay.exchanges).toEqual(['PATCH id 202', 'GET id 200']);
	});

	it('that is taken without a word is done, whether or not it can be read', async () => {
		const id = bench.somebodys(123, 'ACTIVATED');
		relay.answer(wordless);
		relay.answer(looks(empty(500)));

		const run = await update(id, 2, { options: { maxTries: 2 } });

		expect(run.items[0]?.json).toEqual({ id });
	});
});
