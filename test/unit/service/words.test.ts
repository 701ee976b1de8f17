import { describe, expect, it } from '@jest/globals';

import type { FailureDetails, FailureKind } from '../../../service/failure';
import { ServiceError } from '../../../service/failure';
import { describeTestFailure, explanationOf } from '../../../service/words';

const LABELS = { token: 'Auth URL', data: 'Leads URL' };

function failed(kind: FailureKind, details: FailureDetails = {}): ServiceError {
	return new ServiceError(kind, 'It failed', details);
}

describe('what to do about a failure', () => {
	it.each<[string, ServiceError, string]>([
		[
			'a busy service that asks for a wait',
			failed('busy', { retryAfterMs: 300_000 }),
			'The service asked for a wait of 5 minutes. Run the workflow again after that, or raise “Max Tries” and “Max Wait” in the options.',
		],
		['a remedy of its own', failed('missing', { remedy: 'Check the ID.' }), 'Check the ID.'],
		[
			'a wrong field of the credential',
			failed('credential', { remedy: 'Correct the address.' }),
			'Correct the address. Then test the credential.',
		],
		[
			'a credential that the service refused a request for data with',
			failed('credential', { requestKind: 'data', remedy: 'Check the audience.' }),
			'Check the audience.',
		],
		[
			'a credential that got no token',
			failed('credential', { requestKind: 'token' }),
			'Open the credential, correct it and test it there.',
		],
		['an order that failed', failed('failed'), 'Run the workflow again.'],
		[
			'a service out of reach that asks for a wait',
			failed('unavailable', { retryAfterMs: 1_000 }),
			'The service asked for a wait of 1 second. Run the workflow again after that, or raise “Max Tries” and “Max Wait” in the options. If it continues, check the addresses in the credential; if they are right, ask the operator of the service.',
		],
		['what has no usual advice', failed('missing'), ''],
	])('%s', (_, failure, advice) => {
		expect(explanationOf(failure, false)).toBe(advice);
	});

	it('tells what it may have cost first, then the service’s own words and code, and how often it was tried', () => {
		const told = { reason: 'Later', code: '7', cost: 'It is free.', note: 'Nothing was ordered.' };
		const failure = failed('busy', told);

		const explanation = explanationOf(failure.afterTries(3, 61_000), false);

		expect(explanation).toMatch(
			/^It is free\. The service says: “Later” \(code 7\)\. Tried 3 times, waiting 1 minute, 1 second in total\. Run /,
		);
		expect(explanation).toMatch(/ Nothing was ordered\.$/);
	});

	it.each([
		[{ reason: 'Later' }, 'The service says: “Later”.'],
		[{ code: '7' }, 'The service’s code is 7.'],
		[{ reason: 'Later', code: '7' }, 'The service says: “Later” (code 7).'],
	])('tells what the service said: %j', (details, words) => {
		expect(explanationOf(failed('missing', details), false)).toBe(words);
	});

	it.each<[ServiceError, RegExp]>([
		[failed('busy').afterTries(3), /^Tried 3 times\. Run /],
		[failed('busy').afterTries(1), /^Tried once\. Run /],
		[failed('busy').afterTries(0), /^Run /],
		[failed('missing').afterTries(1), /^$/],
	])('tells how often it was tried, where another try may help (%#)', (failure, explanation) => {
		expect(explanationOf(failure, false)).toMatch(explanation);
	});

	it.each([
		[1, '1 second'],
		[1_001, '2 seconds'],
		[90_000, '1 minute, 30 seconds'],
		[3_600_001, '1 hour, 1 second'],
		[90_000_000, '1 day, 1 hour'],
	])('says a wait of %d ms as %s, never as less', (retryAfterMs, words) => {
		expect(explanationOf(failed('busy', { retryAfterMs }), false)).toContain(`a wait of ${words}.`);
	});

	it.each<[FailureKind, RegExp]>([
		['busy', /^n8n polls again automatically.*If this happens often, poll less often\.$/],
		['unavailable', /^n8n polls again automatically.*check the addresses in the credential/],
		[
			'rejected',
			/^Check the fields of this node\. If you cannot .+ What arrives in the meantime is delivered once/,
		],
	])('in a poll: %s', (kind, advice) => {
		expect(explanationOf(failed(kind), true)).toMatch(advice);
	});

	it('in the test of a credential begins with what happened, and has the remedy of the failure', () => {
		const details = { reason: 'Later', remedy: 'Ask the operator.', note: 'In a workflow only.' };

		expect(describeTestFailure(failed('busy', details).afterTries(2, 1_500), LABELS)).toBe(
			'It failed. The service says: “Later”. Tried 2 times, waiting 2 seconds in total. Ask the operator.',
		);
	});
});
