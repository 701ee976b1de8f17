import { describe, expect, it } from '@jest/globals';

import type { FailureDetails, FailureKind } from '../../../service/failure';
import { ServiceError } from '../../../service/failure';
import { describeTestFailure, explanationOf } from '../../../service/words';

function failed(kind: FailureKind, details: FailureDetails = {}): ServiceError {
	return new ServiceError(kind, 'It failed', details);
}

describe('what to do about a failure', () => {
	it.each<[string, ServiceError, string]>([
		[
			'a busy service',
			failed('busy'),
			'Run the workflow again in a few minutes. If this happens often, run it less often or raise Max Tries and Max Wait in the options.',
		],
		[
			'a busy service that asks for a wait',
			failed('busy', { retryAfterMs: 300_000 }),
			'The service asked for a wait of 5 minutes. Run the workflow again after that, or raise Max Wait in the options.',
		],
		[
			'a service out of reach',
			failed('unavailable'),
			'Run the workflow again in a few minutes. If it continues, check the addresses in the credential and ask the operator of the service.',
		],
		['a refused request', failed('rejected', { status: 400 }), 'Check the fields of this node.'],
		[
			'an unknown address',
			failed('rejected', { status: 404 }),
			'Check the address in the credential.',
		],
		['a remedy of its own', failed('missing', { remedy: 'Check the ID.' }), 'Check the ID.'],
		[
			'a wrong field of the credential',
			failed('credential', { remedy: 'Correct the address.' }),
			'Correct the address. Then test the credential.',
		],
	])('%s', (_, failure, advice) => {
		expect(explanationOf(failure, false)).toBe(advice);
	});

	it('tells the service’s own words and code, and how often it was tried, first', () => {
		const failure = failed('busy', { reason: 'Later', code: '7', aside: 'Nothing was ordered.' });

		const explanation = explanationOf(failure.afterTries(3, 61_000), false);

		expect(explanation).toMatch(
			/^The service says: “Later” \(code 7\)\. Tried 3 times, waiting 61 seconds in total\. Run /,
		);
		expect(explanation).toMatch(/ Nothing was ordered\.$/);
	});

	it.each<[FailureKind, RegExp]>([
		['busy', /^n8n polls again automatically.*If this happens often, poll less often\.$/],
		['unavailable', /^n8n polls again automatically.*check the addresses in the credential/],
		['rejected', /^Check the fields of this node\. What arrives in the meantime is delivered once/],
	])('in a poll: %s', (kind, advice) => {
		expect(explanationOf(failed(kind), true)).toMatch(advice);
	});

	it.each<[FailureKind, string]>([
		['busy', 'It failed. Try again in a minute.'],
		['unavailable', 'It failed. Check the address. If it is right, try again in a minute.'],
		['rejected', 'It failed. Check the address.'],
		['credential', 'It failed. Compare the fields with what the operator sent you.'],
	])('in the test of a credential: %s', (kind, message) => {
		expect(describeTestFailure(failed(kind))).toBe(message);
	});
});
