import { describe, expect, it } from '@jest/globals';

import type { FailureDetails, FailureKind } from '../../../service/failure';
import { mayBeTaken, ServiceError } from '../../../service/failure';

const KINDS = {
	busy: 'busy',
	unavailable: 'serviceFault',
	credential: 'credentialField',
	forbidden: 'forbidden',
	rejected: 'badRequest',
	missing: 'notFound',
	failed: 'orderFailed',
	foreign: 'wrongAddress',
} as const satisfies Record<FailureKind, string>;

const failed = (kind: FailureKind, details?: FailureDetails) =>
	new ServiceError(kind, 'It failed', details);

describe('the code under which a person finds what to do', () => {
	it.each(Object.entries(KINDS))('is, for %s, usually %s', (kind, code) => {
		expect(failed(kind as FailureKind).helpCode).toBe(code);
	});
});

describe('a failure', () => {
	it('may pass if the service is busy or out of reach, and else not', () => {
		const passing = Object.keys(KINDS).filter((kind) => failed(kind as FailureKind).isTransient);

		expect(passing).toEqual(['busy', 'unavailable']);
	});

	it('says what it is about in front', () => {
		expect(failed('missing').about('Branch NORTH').message).toBe('Branch NORTH: It failed');
	});

	it('has more to know added after what there was', () => {
		const once = failed('busy', { code: '7' }).withNote('Nothing was ordered.');

		expect(once.details).toEqual({ code: '7', note: 'Nothing was ordered.' });
		expect(once.withNote('Look again.').details.note).toBe('Nothing was ordered. Look again.');
	});

	it('in other words is of the same kind, and as often tried', () => {
		const failure = failed('rejected', { code: '7', reason: 'No' }).afterTries(2, 500);

		const changed = failure.with('It did not work', { reason: 'Never', status: 400 });

		expect(changed).toMatchObject({ kind: 'rejected', message: 'It did not work' });
		const details = { code: '7', reason: 'Never', status: 400, tries: 2, waitedMs: 500 };
		expect(changed.details).toEqual(details);
	});

	it('that counts as one that may pass keeps its words, and the code of what it was', () => {
		const passing = failed('forbidden', { status: 403 }).afterTries(2, 500).asPassing;

		expect(passing).toMatchObject({ kind: 'unavailable', message: 'It failed', isFinal: false });
		expect(passing.details).toEqual({ status: 403, helpCode: 'forbidden' });
	});
});

describe('a write that failed', () => {
	it.each<[string, ServiceError]>([
		['the connection was lost', failed('unavailable', { requestKind: 'data' })],
		['the service broke', failed('unavailable', { requestKind: 'data', status: 500 })],
		['a web page answered', failed('foreign', { requestKind: 'data', status: 200 })],
		['the service waited too long', failed('unavailable', { requestKind: 'data', status: 408 })],
		['nothing is known but that no answer came', failed('unavailable')],
	])('may have been taken all the same if %s', (_, failure) => {
		expect(mayBeTaken(failure)).toBe(true);
	});

	it.each<[string, ServiceError]>([
		['there was no token for it', failed('unavailable', { requestKind: 'token' })],
		['it was never sent', failed('unavailable', { requestKind: 'data', isUnsent: true })],
		['no secure connection was made', failed('foreign', { isUnsent: true })],
		['the service was busy', failed('busy', { requestKind: 'data', status: 429 })],
		['it came too early', failed('unavailable', { requestKind: 'data', status: 425 })],
		['the service said no', failed('rejected', { requestKind: 'data', status: 400 })],
		['it was not permitted', failed('forbidden', { requestKind: 'data', status: 403 })],
		['the token was refused', failed('credential', { requestKind: 'data', status: 401 })],
	])('was not taken if %s', (_, failure) => {
		expect(mayBeTaken(failure)).toBe(false);
	});
});
