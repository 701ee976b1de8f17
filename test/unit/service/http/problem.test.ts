import { describe, expect, it } from '@jest/globals';

import { isErrorBody, problemOf, tokenProblemOf } from '../../../../service/http/problem';

const SECRET = 'a-secret of nobody+1';

describe('an error body', () => {
	it.each([
		['with a list', { errors: [{ message: 'No' }] }, true],
		['with messages on fields', { errors: { price: ['too low'] }, items: [] }, true],
		['with one text', { errors: 'No' }, true],
		['with errors beside rows', { errors: [{}], applicants: [{ id: '1' }] }, true],
		['with an empty list', { errors: [], applicants: [] }, false],
		['with an empty object', { errors: {} }, false],
		['with null', { errors: null }, false],
		['with a count', { errors: 2 }, false],
		['without errors', { message: 'Hello' }, false],
		['that is a list', [{ errors: ['No'] }], false],
		['that is text', 'errors', false],
		['that is null', null, false],
	])('is one by its errors: %s', (_, body, is) => {
		expect(isErrorBody(body)).toBe(is);
	});
});

describe('the problem in a body', () => {
	const problem = { type: null, title: 'Not accepted', status: 400, detail: null };
	const onFields = {
		'owner-id': ['a number is needed', 'not “x”'],
		'max-results': 'too large',
	};
	const REASON = 'owner-id: a number is needed not “x”; max-results: too large';

	it.each<[string, unknown, string | undefined, string | undefined]>([
		['messages', { errors: [{ message: 'No', code: 'bad_id', links: [] }] }, 'No', 'bad_id'],
		['reasons', { errors: [{ reason: 'No', code: 1011003 }] }, 'No', '1011003'],
		[
			'several',
			{
				errors: [
					{ reason: 'A', code: 7 },
					{ message: 'B', code: 8 },
				],
			},
			'A; B',
			'7',
		],
		['the same twice', { errors: [{ reason: 'A' }, { reason: 'A' }] }, 'A', undefined],
		['a code alone first', { errors: [{ code: 7 }, { message: 'B', code: 8 }] }, 'B', '7'],
		['junk', { errors: [null, {}, ' ', { message: {} }, { message: 'A' }] }, 'A', undefined],
		[
			'words beside errors',
			{ detail: 'D', title: 'T', errors: [{ message: 'A' }] },
			'D; A',
			undefined,
		],
		['messages on fields', { ...problem, errors: onFields }, REASON, undefined],
		['a detail', { ...problem, detail: 'No' }, 'No', undefined],
		['a title', problem, 'Not accepted', undefined],
		['a message', { message: 'No' }, 'No', undefined],
		['a number', { message: 429 }, '429', undefined],
		['nothing', {}, undefined, undefined],
		['no object', 'No', undefined, undefined],
		['a list', ['No'], undefined, undefined],
		['no body', null, undefined, undefined],
	])('is read from %s', (_, body, reason, code) => {
		expect(problemOf(body, [])).toEqual({ reason, code });
	});

	it('names three errors', () => {
		const errors = Array.from({ length: 5 }, (_, n) => ({ message: `No. ${n}` }));

		expect(problemOf({ errors }, []).reason).toBe('No. 0; No. 1; No. 2');
	});

	it('has no words and no code with a secret in them', () => {
		const errors = [{ message: `It is ${SECRET}`, code: SECRET }, { message: 'B' }];

		expect(problemOf({ errors }, [SECRET])).toEqual({});
	});
});

describe('the problem of a token endpoint', () => {
	it.each(['invalid_request', 'invalid_client', 'temporarily_not_available'])(
		'is its code and never its words: %s',
		(error) => {
			expect(tokenProblemOf({ error, error_description: 'No', errors: ['No'] }, [])).toEqual({
				code: error,
			});
		},
	);

	it.each([
		['words', { error: 'wrong secret' }],
		['a code and words', { error: 'bad_scope: no' }],
		['a code behind words', { error: 'no: bad_scope' }],
		['a code that is the secret', { error: 'invalid_client' }],
		['a code of the service', { errors: [{ message: 'No', code: 7 }] }],
		['no object', 'invalid_request'],
		['nothing', null],
	])('is nothing with %s', (_, body) => {
		expect(tokenProblemOf(body, ['Invalid_Client']).code).toBeUndefined();
		expect(tokenProblemOf(body, ['Invalid_Client'])).not.toHaveProperty('reason');
	});
});
