import { describe } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { DAY, LeadsBench } from '../../../lab/engine/leads';
import { PollHost } from '../../../lab/engine/poll';
import { holdsMessages, trigger, used } from '../../../lab/engine/messages';

describe('docs/troubleshooting.md: Of Agent Leads Trigger', () => {
	holdsMessages(
		'troubleshooting',
		[
			[
				'There is no lead to show',
				async () =>
					await used(LeadsBench.start(), async (bench) => {
						const host = new PollHost(bench);
						return (await host.failure(host.test())).message;
					}),
			],
			[
				'Leads submitted between … and … may be missing: the service keeps leads for 30 days, and it was not asked for longer than that.',
				async () =>
					await used(LeadsBench.start(), async (bench) => {
						const host = new PollHost(bench, { startFrom: 'last24Hours' });
						await host.activate();
						bench.setClock(Date.now() + 40 * DAY);
						bench.sandbox.addLead('applicant');
						const gaps = (await host.tick()).map(({ gap }) => gap as IDataObject | undefined);
						return gaps.find((gap) => gap !== undefined)?.message as string | undefined;
					}),
			],
			['The stored progress has version …', trigger({}, { version: 2 })],
			[
				'The stored progress is damaged at …',
				trigger({}, { version: 1, polls: 1, scopes: 'none' }),
			],
		],
		'Of Agent Leads Trigger',
	);
});

describe('docs/agent-leads-trigger.md', () => {
	holdsMessages('agent-leads-trigger', [
		['“Trigger On” is empty', trigger({ leadTypes: [] })],
		['“Trigger On” has an unknown value', trigger({ leadTypes: ['buyer'] })],
		['“Start From” has an unknown value', trigger({ startFrom: 'ever' })],
	]);
});
