import { describe, expect, it } from '@jest/globals';
import type { ICredentialTestFunctions } from 'n8n-workflow';

import { checkCredential } from '../../../service/credentialCheck';
import { INVENTORY_INTEGRATION } from '../../../service/inventory/integration';
import contract from '../../lab/contract/inventory.json';

interface Answer {
	status: number;
	body: unknown;
}

const TOKEN = 'token-that-nobody-may-see';
const INTEGRATION = contract.components.examples.Integration.value;
const ONE_PROPERTY: Answer = { status: 200, body: { meta: {}, items: [{ id: '5001' }] } };
const NOT_SWITCHED_ON: Answer = { status: 404, body: '' };

const CREDENTIAL = {
	clientId: 'id',
	clientSecret: 'secret-that-nobody-may-see',
	tokenUrl: 'https://auth.example.com/token',
	inventoryUrl: 'https://inventory.example.com',
	agencyRef: '6f1d2c3b-4a59-4e87-9c60-112233445566',
};

/** The outcome of the test where the service answers so to the two requests for data. */
async function outcome(introduction: Answer, probe = ONE_PROPERTY) {
	const asked: string[] = [];
	const answers: Record<string, Answer> = {
		'/token': { status: 200, body: { access_token: TOKEN, expires_in: 3600 } },
		'/inventory': probe,
		'/partners/integration': introduction,
	};
	const request = async ({ uri }: { uri: string }) => {
		const { pathname } = new URL(uri);
		asked.push(pathname);
		const { status, body } = answers[pathname] ?? NOT_SWITCHED_ON;
		return await Promise.resolve({ statusCode: status, headers: {}, body });
	};
	const helpers = { request } as unknown as ICredentialTestFunctions['helpers'];
	const result = await checkCredential(INVENTORY_INTEGRATION, helpers, CREDENTIAL);
	return { ...result, asked };
}

const told = (body: object) => ({ status: 200, body });

describe('the test of the inventory credential', () => {
	it('says whom it reached, after it was given a property', async () => {
		const branches = Array.from({ length: 3 }, () => INTEGRATION.branches[0]);

		const { status, message, asked } = await outcome(told({ ...INTEGRATION, branches }));

		expect({ status, message }).toEqual({
			status: 'OK',
			message: 'Connected to Example Agents, 3 branches',
		});
		expect(asked).toEqual(['/token', '/inventory', '/partners/integration']);
	});

	it.each([
		['one branch', { ...INTEGRATION }, /^Connected to Example Agents, 1 branch$/],
		['no branches', { ...INTEGRATION, branches: [] }, /^Connected to Example Agents, no branches$/],
		['no list of them', { ...INTEGRATION, branches: null }, /^Connected to Example Agents$/],
		['markup', { agencyName: 'A <b>& B</b>\n' }, /^Connected to A & B$/],
		['no name', { integrationId: 'x' }, /^Connected to the agency of this AgencyRef$/],
		['a name without end', { agencyName: 'x'.repeat(500) }, /^Connected to x{100}$/],
	])('bears an answer with %s', async (_, body, message) => {
		const result = await outcome(told(body));

		expect(result.status).toBe('OK');
		expect(result.message).toMatch(message);
	});

	it('shows neither the token nor the secret, even if the service repeats them', async () => {
		const { message } = await outcome(
			told({ agencyName: `${TOKEN} ${CREDENTIAL.clientSecret}`, branches: [] }),
		);

		expect(message).not.toMatch(/nobody/);
	});

	it.each([
		['is not switched on', NOT_SWITCHED_ON],
		['is not permitted', { status: 403, body: {} }],
		['fails', { status: 500, body: '' }],
		['is busy', { status: 429, body: {} }],
		['is a web page', { status: 200, body: '<html></html>' }],
		['says nothing', { status: 200, body: {} }],
		['is an error', { status: 200, body: { errors: [{ message: 'no' }] } }],
	])('passes as before where the introduction %s', async (_, introduction) => {
		const { status, message, asked } = await outcome(introduction);

		expect({ status, message }).toEqual({
			status: 'OK',
			message: 'The service issued a token and answered with it',
		});
		expect(asked).toHaveLength(3);
	});

	it('passes where a bare 404 leaves open whether the agency has no property yet', async () => {
		const nothing: Answer = { status: 404, body: '' };

		expect(await outcome(told(INTEGRATION), nothing)).toMatchObject({ status: 'OK' });

		const unknown = await outcome(NOT_SWITCHED_ON, nothing);

		expect(unknown.status).toBe('Error');
		expect(unknown.message).toContain('this agency has no property yet');
	});

	it.each([
		['a refused AgencyRef', { status: 403, body: {} }, '(403)'],
		['a refused token', { status: 401, body: {} }, '(401)'],
		['a wrong address', { status: 404, body: '<html></html>' }, '(404)'],
	])('fails as before with %s, without a further request', async (_, probe, message) => {
		const result = await outcome(told(INTEGRATION), probe);

		expect(result.status).toBe('Error');
		expect(result.message).toContain(message);
		expect(result.asked).not.toContain('/partners/integration');
	});
});
