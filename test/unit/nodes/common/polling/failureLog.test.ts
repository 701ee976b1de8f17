import { beforeEach, describe, expect, it, jest } from '@jest/globals';

import { FailureLog } from '../../../../../nodes/common/polling/failureLog';
import { ServiceError } from '../../../../../service/failure';
import { HOUR, MINUTE } from '../../../../lab/polling/leadsModel';
import { useModelTime } from '../../../../lab/polling/modelTime';
import { NOON } from '../../../../lab/polling/progress';

useModelTime();

const busy = (retryAfterMs?: number) => new ServiceError('busy', 'Busy', { retryAfterMs });
const refused = new ServiceError('rejected', 'No');
const pass = (ms: number) => jest.setSystemTime(Date.now() + ms);

describe('the failures of targets', () => {
	let log: FailureLog;

	beforeEach(() => {
		jest.setSystemTime(NOON);
		log = new FailureLog();
	});

	it('are known until the target is answered', () => {
		log.note('applicant', refused);

		expect([log.has('applicant'), log.has('appraisal')]).toEqual([true, false]);
		expect(log.failureOf('applicant')).toBe(refused);

		log.clear('applicant');

		expect(log.has('applicant')).toBe(false);
	});

	it.each([
		['as the service asks', 10 * MINUTE, 10 * MINUTE],
		['for an hour at most', 5 * HOUR, HOUR],
		['not at all if it asks for nothing', undefined, 0],
	])('wait %s', (_name, asked, waits) => {
		log.note('applicant', busy(asked));

		pass(waits - 1);

		expect(log.isToWait('applicant')).toBe(waits > 0);

		pass(1);

		expect(log.isToWait('applicant')).toBe(false);
	});

	it.each(['credential', 'forbidden', 'rejected', 'foreign'] as const)(
		'do not wait where a person corrects what is wrong: %s',
		(kind) => {
			log.note('applicant', new ServiceError(kind, 'No', { retryAfterMs: HOUR }));

			expect(log.isToWait('applicant')).toBe(false);
		},
	);

	it('make the next window half as long if it may have been too long, but no shorter than an hour', () => {
		const longest = () => log.longestMsFor('applicant');

		expect(longest()).toBeUndefined();

		log.note('applicant', refused, 6 * HOUR);
		log.note('applicant', busy());

		expect(longest()).toBe(3 * HOUR);

		log.note('applicant', refused, HOUR);

		expect(longest()).toBe(HOUR);

		log.clear('applicant');

		expect(longest()).toBeUndefined();
	});

	it('wait no longer if the clock went back or a person publishes the workflow', () => {
		log.note('applicant', busy(10 * MINUTE));

		pass(-MINUTE);

		expect(log.isToWait('applicant')).toBe(false);

		pass(2 * MINUTE);

		expect(log.isToWait('applicant')).toBe(true);

		log.forgetWaits();

		expect(log.isToWait('applicant')).toBe(false);
	});

	it.each([
		['may pass', busy(), 15 * MINUTE],
		['does not pass', refused, 0],
	])('are told as soon, though the clock went back, if one %s', (_, failure, lastsMs) => {
		log.note('applicant', failure);
		pass(-24 * HOUR);
		log.note('applicant', failure);
		pass(lastsMs);
		log.note('applicant', failure);

		expect(log.takeDue(['applicant'])).toEqual(['applicant']);

		pass(-24 * HOUR);
		log.note('applicant', failure);
		pass(lastsMs);

		expect(log.takeDue(['applicant'])).toEqual(['applicant']);
		expect(log.takeDue(['applicant'])).toEqual([]);
	});

	it('wait no longer once the service is asked as another client, or elsewhere', () => {
		log.askAs('one');
		log.note('applicant', busy(10 * MINUTE));

		log.askAs('one');

		expect(log.isToWait('applicant')).toBe(true);

		log.askAs('another');

		expect(log.isToWait('applicant')).toBe(false);
	});

	it('are due at once if they do not pass, and after 15 minutes if they may', () => {
		const keys = ['applicant', 'appraisal', 'unknown'];
		const fail = () => {
			log.note('applicant', refused);
			log.note('appraisal', busy());
		};

		fail();

		expect(log.takeDue(keys)).toEqual(['applicant']);

		pass(15 * MINUTE - 1);

		fail();

		expect(log.takeDue(keys)).toEqual([]);

		pass(1);

		expect(log.takeDue(keys)).toEqual(['appraisal']);
	});

	it('are due again an hour after they were told', () => {
		log.note('applicant', refused);
		log.takeDue(['applicant']);

		pass(HOUR - 1);

		log.note('applicant', refused);

		expect(log.takeDue(['applicant'])).toEqual([]);

		pass(1);

		expect(log.takeDue(['applicant'])).toEqual(['applicant']);
	});
});
