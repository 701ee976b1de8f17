import { describe, expect, it } from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { LEADS_INTEGRATION } from '../../../../service/leads/integration';

const CREDENTIAL: ICredentialDataDecryptedObject = {
	clientId: 'client',
	clientSecret: 'secret',
	authUrl: 'https://auth.example.com',
	leadsUrl: 'https://leads.example.com/',
};

describe('the address of the leads API', () => {
	it.each([
		['without a slash at its end', 'https://leads.example.com/'],
		['without the path of a list', 'https://leads.example.com/applicant-leads'],
		['without the path of the other list', 'https://leads.example.com/appraisal-leads/'],
	])('is taken %s', (_, leadsUrl) => {
		expect(LEADS_INTEGRATION.grant({ ...CREDENTIAL, leadsUrl }).address).toBe(
			'https://leads.example.com',
		);
	});

	it('keeps a path that may be its own', () => {
		const leadsUrl = 'https://leads.example.com/appraisal-leads/v2';

		expect(LEADS_INTEGRATION.grant({ ...CREDENTIAL, leadsUrl }).address).toBe(leadsUrl);
	});

	it('is missed by its name', () => {
		expect(() => LEADS_INTEGRATION.grant({ ...CREDENTIAL, leadsUrl: '' }).address).toThrow(
			/“Leads URL”/,
		);
	});
});

describe('a token for the leads API', () => {
	it.each([
		['', 'https://leads.example.com/'],
		['ours', 'ours'],
	])('is for the audience “%s” in the credential, or for the Leads URL', (entered, audience) => {
		const { purpose } = LEADS_INTEGRATION.grant({ ...CREDENTIAL, audience: entered });

		expect(purpose).toEqual({ audience });
	});

	it.each([
		['client', { clientId: 'other' }],
		['secret', { clientSecret: 'other' }],
		['sign-in address', { authUrl: 'https://other.example.com' }],
		[
			'leads address',
			{ audience: 'https://leads.example.com/', leadsUrl: 'https://other.example.com' },
		],
		['audience', { audience: 'ours' }],
	])('is not that of another %s', (_, changes) => {
		const { fingerprint } = LEADS_INTEGRATION.grant({ ...CREDENTIAL, ...changes });

		expect(fingerprint).not.toBe(LEADS_INTEGRATION.grant(CREDENTIAL).fingerprint);
	});
});

describe('the test of the leads credential', () => {
	const probe = () => LEADS_INTEGRATION.probe(CREDENTIAL);

	it('reads the appraisals', () => {
		expect(probe().path).toBe('/appraisal-leads');
	});

	it.each([
		[{ appraisals: [] }, true],
		[{ appraisals: null }, true],
		[{}, true],
		[{ applicants: [] }, false],
		[{ appraisals: 'none' }, false],
		[[], false],
		['', false],
	])('takes %j for a list of them: %s', (body, isOne) => {
		expect(probe().isShape(body)).toBe(isOne);
	});

	it.each([
		[400, { errors: [] }, true],
		[400, {}, true],
		[400, { errors: 'none' }, false],
		[400, { message: 'Bad request' }, false],
		[400, 'Bad request', false],
		[400, null, false],
		[403, { errors: [] }, false],
	])('passes with %d %j: %s', (statusCode, body, isPassed) => {
		expect(probe().isGoodEnough?.({ statusCode, headers: {}, body })).toBe(isPassed);
	});
});
