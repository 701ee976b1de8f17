import { describe, expect, it } from '@jest/globals';

import { agencyRefOf, toAgencyRef, withAgency } from '../../../../service/inventory/agencyRef';

describe('an AgencyRef', () => {
	it.each([
		['6f1d2c3b-4a59-4e87-9c60-112233445566', '6f1d2c3b-4a59-4e87-9c60-112233445566'],
		['A', 'A'],
		['  AG 1  ', 'AG 1'],
		['\u200bAG1\u00a0', 'AG1'],
		[7, '7'],
	])('%j is sent as %j', (value, sent) => {
		expect(toAgencyRef(value)).toBe(sent);
	});

	it.each(['', '  ', 'A\nB', 'A\r\nX-Other: 1', 'Größe', undefined, null, NaN, {}, ['A']])(
		'is not %j',
		(value) => {
			expect(toAgencyRef(value)).toBeUndefined();
		},
	);
});

describe('the AgencyRef of a credential', () => {
	it('is that of its field', () => {
		expect(agencyRefOf({ agencyRef: ' AG1 ' })).toBe('AG1');
	});

	it.each([
		['is missed if there is none', {}, '“AgencyRef” is empty in the credential', undefined],
		[
			'is missed if it is empty',
			{ agencyRef: '' },
			'“AgencyRef” is empty in the credential',
			undefined,
		],
		[
			'is refused if no header can hold it',
			{ agencyRef: 'Größe' },
			'“AgencyRef” in the credential contains characters that are not allowed',
			'It has 36 letters, digits and hyphens. Copy it again from what the operator emailed you.',
		],
	])('%s', (_, credential, message, remedy) => {
		expect(() => agencyRefOf(credential)).toThrow(
			expect.objectContaining({ kind: 'credential', message, details: { remedy } }),
		);
	});
});

describe('a request of the HTTP Request node', () => {
	it('has the AgencyRef of the credential beside its own headers', () => {
		const options = withAgency({ agencyRef: 'AG1' }, { headers: { Accept: 'a' }, url: '/' });

		expect(options).toEqual({ headers: { Accept: 'a', AgencyRef: 'AG1' }, url: '/' });
	});

	it('has it without any other header too', () => {
		expect(withAgency({ agencyRef: 'AG1' }, {})).toEqual({ headers: { AgencyRef: 'AG1' } });
	});

	it('keeps one of its own, however it is spelled', () => {
		const options = { headers: { agencyREF: 'AG2' } };

		expect(withAgency({ agencyRef: '' }, options)).toBe(options);
	});
});
