import { describe } from '@jest/globals';

import {
	connection,
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

describe('docs/troubleshooting.md: In a run of any node', () => {
	holdsMessages(
		'troubleshooting',
		[
			['The service is busy: too many requests (429)', leads({}, status(LEADS, 429))],
			['The service cannot answer just now (…)', leads({}, status(LEADS, 503))],
			['The service did not answer in time', connection('ETIMEDOUT')],
			['The connection to the service was lost', leads({}, failing(LEADS, { kind: 'reset' }))],
			['The connection to the service failed', connection('E2BIG')],
			['The service’s answer was cut short', leads({}, failing(LEADS, { kind: 'cutJson' }))],
			[
				'The service refused the connection',
				leads({}, credential({ authUrl: 'http://127.0.0.1:9' })),
			],
			['The service cannot be reached', connection('EHOSTUNREACH')],
			['No server has the name in the address', connection('ENOTFOUND')],
			['The name in the address could not be looked up', connection('EAI_AGAIN')],
			[
				'No secure connection could be made (…): the service’s certificate may be expired, incomplete or for another name',
				connection('CERT_HAS_EXPIRED'),
			],
			[
				'The service refused the access token, and a newly issued one as well (401)',
				leads({}, status(LEADS, 401)),
			],
			[
				'The service refused the request (…)',
				leads({}, ({ sandbox, clientId }) => {
					sandbox.updateClient(clientId, { branches: ['1', '2'] });
				}),
			],
			['The service found nothing at this address (404)', leads({}, status(LEADS, 404))],
			[
				'The service answered with a web page instead of data',
				leads({}, failing(LEADS, { kind: 'html' })),
			],
			['The service redirects elsewhere (…)', leads({}, status(LEADS, 302, 'empty'))],
			['The service’s answer has an unknown shape', leads({}, status(LEADS, 200, 'empty'))],
		],
		'In a run of any node',
	);
});

describe('docs/troubleshooting.md: About a field that several nodes have', () => {
	holdsMessages(
		'troubleshooting',
		[
			['“…” must be a whole number of at least …', leads({ limit: 0 })],
			['“…” must be a whole number of at least …', trigger({ options: { lookBack: 43_201 } })],
			['“Max Wait” must be a number of seconds, 0 or more', leads({ options: { maxWait: -1 } })],
			['“…” is not a date and time', inventory({ filters: { createdFrom: 'soon' } })],
			['“…” is not text', inventory({ filters: { recordType: '={{ {} }}' } })],
			['“…” is neither true nor false', inventory({ filters: { archived: '={{ 1 }}' } })],
			['“…” is unknown', inventory({ operation: '={{ "delete" }}' })],
			['“…” is unknown', products({ operation: '={{ "cancel" }}' })],
			['“…” contains an empty ID', leads({ filterBy: 'branch', filterId: '1,,2' })],
			['“…” contains an empty ID', inventory({ filters: { branchIds: '1,,2' } })],
		],
		'About a field that several nodes have',
	);
});
