import { describe } from '@jest/globals';

import { HOUR } from '../../../lab/engine/leads';
import { holdsMessages, leads, LEADS, status } from '../../../lab/engine/messages';

describe('messages of Agent Leads', () => {
	holdsMessages([
		['The service refused access (403)', leads({}, status(LEADS, 403))],
		[
			'The service refused the request (…): a filter may be missing',
			leads({}, ({ sandbox, clientId }) => {
				sandbox.updateClient(clientId, { branches: ['1', '2'] });
			}),
		],
		['The service answered without …', leads({}, status(LEADS, 200, 'json'))],
		[
			'The service keeps leads for 30 days: …',
			leads({ period: 'recent', recentAmount: 31, recentUnit: 'days' }),
		],
		[
			'The service keeps leads for 30 days: …',
			leads({ period: 'range', from: '2020-01-01T00:00:00', to: '2020-01-02T00:00:00' }),
		],
		[
			'The service sent leads that are dated outside the period; …',
			leads({ period: 'recent', recentAmount: 1, recentUnit: 'hours' }, ({ sandbox }) => {
				const created = sandbox.now() - HOUR / 2;
				for (const createdAt of [created, created, created + 2 * HOUR]) {
					sandbox.addLead('applicant', { createdAt: new Date(createdAt).toISOString() });
				}
			}),
		],
	]);
});

describe('messages of Agent Leads on its fields', () => {
	const range = (from: string, to: string) => leads({ period: 'range', from, to });

	holdsMessages([
		['“…” is …', leads({ filterBy: '={{ "planet" }}', filterId: '1' })],
		['“…” is …', range('2026-06-02T00:00:00', '2026-06-01T00:00:00')],
		['“…” is …', range('2999-01-01T00:00:00', '')],
		['“…” is …', leads({ period: '={{ "ever" }}', from: '2026-06-01' })],
		['“…” is …', leads({ period: 'recent', recentAmount: 1, recentUnit: '={{ "weeks" }}' })],
		['“…” is …', leads({ resource: '={{ "lead" }}' })],
		['“…” is …', leads({ options: { fromTimeParameter: 'from time' } })],
		[
			'“Options” gives …',
			leads({ options: { fromTimeParameter: 'time', toTimeParameter: 'time' } }),
		],
	]);
});
