import { describe } from '@jest/globals';

import { HOUR } from '../../../lab/engine/leads';
import { holdsMessages, leads, LEADS, status } from '../../../lab/engine/messages';

describe('docs/troubleshooting.md: Of Agent Leads', () => {
	holdsMessages(
		'troubleshooting',
		[
			['The service refused access (403)', leads({}, status(LEADS, 403))],
			['The service answered without a list of …', leads({}, status(LEADS, 200, 'json'))],
			[
				'The service keeps leads for 30 days: everything before … is gone, …',
				leads({ period: 'recent', recentAmount: 31, recentUnit: 'days' }),
			],
			[
				'The service keeps leads for 30 days: everything before … is gone, …',
				leads({ period: 'range', from: '2020-01-01T00:00:00', to: '2020-01-02T00:00:00' }),
			],
			[
				'The service sent leads that are dated outside the period; they were left out.',
				leads({ period: 'recent', recentAmount: 1, recentUnit: 'hours' }, ({ sandbox }) => {
					const created = sandbox.now() - HOUR / 2;
					for (const createdAt of [created, created, created + 2 * HOUR]) {
						sandbox.addLead('applicant', { createdAt: new Date(createdAt).toISOString() });
					}
				}),
			],
		],
		'Of Agent Leads',
	);
});

describe('docs/agent-leads.md', () => {
	const range = (from: string, to: string) => leads({ period: 'range', from, to });

	holdsMessages('agent-leads', [
		['“Filter By” has an unknown value', leads({ filterBy: '={{ "office" }}', filterId: '1' })],
		['“From” is later than “To”', range('2026-06-02T00:00:00', '2026-06-01T00:00:00')],
		['“From” is in the future', range('2999-01-01T00:00:00', '')],
		['“Period” is unknown', leads({ period: '={{ "ever" }}', from: '2026-06-01' })],
		[
			'“Unit” is unknown',
			leads({ period: 'recent', recentAmount: 1, recentUnit: '={{ "weeks" }}' }),
		],
		['“Resource” is unknown', leads({ resource: '={{ "lead" }}' })],
		[
			'“… Parameter Name” is not a name for a query parameter',
			leads({ options: { fromTimeParameter: 'from time' } }),
		],
		[
			'“Options” names two query parameters the same',
			leads({ options: { fromTimeParameter: 'time', toTimeParameter: 'time' } }),
		],
	]);
});
