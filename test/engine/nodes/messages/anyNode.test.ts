import { describe } from '@jest/globals';

import { ServiceError } from '../../../../service/failure';
import { send } from '../../../../service/http/request';
import {
	always,
	credential,
	failing,
	holdsMessages,
	inventory,
	leads,
	LEADS,
	products,
	status,
	trigger,
} from '../../../lab/engine/messages';

/** What a connection fails of, by the code of Node. */
const connection = (code: string) => async () => {
	const failure = Object.assign(new Error(), { code, isAxiosError: true });
	const [outcome] = await Promise.allSettled([
		send('data', async () => await Promise.reject(failure)),
	]);
	const error: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
	return error instanceof ServiceError
		? { message: error.message, code: error.helpCode }
		: undefined;
};

describe('messages in a run of any node', () => {
	holdsMessages([
		['The service is busy: too many requests (…)', leads({}, status(LEADS, 429))],
		['The service cannot answer just now (…)', leads({}, status(LEADS, 503))],
		['The service did not answer in time', connection('ETIMEDOUT')],
		['The connection to the service …', leads({}, failing(LEADS, { kind: 'reset' }))],
		['The connection to the service …', connection('E2BIG')],
		['The service’s answer was cut short', leads({}, failing(LEADS, { kind: 'cutJson' }))],
		[
			'The service refused the connection',
			leads({}, credential({ authUrl: 'http://127.0.0.1:9' })),
		],
		['The service cannot be reached', connection('EHOSTUNREACH')],
		['The server in the address does not exist', connection('ENOTFOUND')],
		['No secure connection could be made (…): …', connection('CERT_HAS_EXPIRED')],
		['The service refused the access token, …', leads({}, status(LEADS, 401))],
		[
			'The service refused the request (…)',
			leads({ filterBy: 'branch', filterId: '9' }, ({ sandbox, clientId }) => {
				sandbox.updateClient(clientId, { branches: ['1', '2'] });
			}),
		],
		['The service found nothing at this address (…)', leads({}, status(LEADS, 404))],
		['The service answered with a web page …', leads({}, failing(LEADS, { kind: 'html' }))],
		['The address redirects to another one (…), …', leads({}, status(LEADS, 302, 'empty'))],
		[
			'The service sent an answer that this node cannot read',
			leads({}, status(LEADS, 200, 'empty')),
		],
		[
			'The service’s answer is not valid JSON',
			leads({}, async ({ stored, sandbox }) => {
				stored.audience = sandbox.leadsUrl;
				stored.leadsUrl = await always('{"applicants":[NaN]}');
			}),
		],
		[
			'A proxy, gateway or firewall answered in place of the service (…)',
			leads({}, failing(LEADS, { kind: 'html', status: 403 })),
		],
		[
			'A proxy or network between n8n and the service asks for a login (…)',
			leads({}, status(LEADS, 407, 'empty')),
		],
	]);
});

describe('messages about a field that several nodes have', () => {
	holdsMessages([
		['“…” must be …', leads({ limit: 0 })],
		['“…” must be …', trigger({ options: { lookBack: 43_201 } })],
		['“…” must be …', leads({ options: { maxWait: -1 } })],
		['“…” is …', inventory({ filters: { createdFrom: 'soon' } })],
		['“…” is …', inventory({ filters: { recordType: '={{ {} }}' } })],
		['“…” is …', inventory({ filters: { archived: '={{ 1 }}' } })],
		['“…” is …', inventory({ operation: '={{ "delete" }}' })],
		['“…” is …', products({ operation: '={{ "cancel" }}' })],
		['“…” contains …', leads({ filterBy: 'branch', filterId: '1,,2' })],
		['“…” contains …', inventory({ filters: { branchIds: '1,,2' } })],
	]);
});
