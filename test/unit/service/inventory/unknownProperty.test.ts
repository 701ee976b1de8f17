import { describe, expect, it } from '@jest/globals';

import type { NotFound } from '../../../../service/failure';
import { ServiceError } from '../../../../service/failure';
import { asUnknownProperty, unknownProperty } from '../../../../service/inventory/records';

const refusal = (notFound?: NotFound) =>
	new ServiceError('rejected', 'Not found', {
		status: 404,
		requestKind: 'data',
		helpCode: 'wrongAddress',
		...(notFound && { notFound }),
	});

describe('a property that the service does not know', () => {
	it('is told with the ID that was asked for, and where to look for another', () => {
		expect(unknownProperty('REF "1"')).toMatchObject({
			kind: 'missing',
			message: 'The service found no such property (404)',
			details: { status: 404 },
		});
		expect(unknownProperty('REF "1"').details.remedy).toMatch(
			/^You asked for the ID "REF \\"1\\""\. .* search for its address to find the ID\.$/,
		);
	});

	it.each<NotFound>(['problem', 'bare', 'other'])('is what a 404 means that is %s', (notFound) => {
		const failure = asUnknownProperty(refusal(notFound), '5001');

		expect(failure.kind).toBe('missing');
		expect(failure.details).toMatchObject({ status: 404, requestKind: 'data' });
		expect(failure.details.helpCode).toBeUndefined();
	});

	it.each<NotFound | undefined>(['page', undefined])('is not what %s means', (notFound) => {
		const failure = refusal(notFound);

		expect(asUnknownProperty(failure, '5001')).toBe(failure);
	});
});
