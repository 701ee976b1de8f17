import { describe, expect, it } from '@jest/globals';

import { agentLeads, DAY, HOUR, MINUTE, NODE, SECOND } from '../../lab/n8n/stage';
import { useStage } from '../../lab/n8n/stage/useStage';
import { Agencies, ids, inSeconds, onTheWall } from './agencies';

const stage = useStage();

const agencies = new Agencies(stage);

function secondOf(epochMs: number): number {
	return Math.floor(epochMs / SECOND) * SECOND;
}

/** A time of some days ago that is the same on every clock but for its hour. */
function noonDaysAgo(days: number): number {
	return Math.floor(Date.now() / DAY) * DAY - days * DAY + 12 * HOUR;
}

describe('Get Many in n8n', () => {
	// At any time of the year one of the first two keeps summer time.
	it.each(['Europe/London', 'Australia/Sydney'])(
		'Date Range: times are those of a workflow in %s, ends included',
		async (zone) => {
			const here = agencies.add();
			const from = noonDaysAgo(29) + 15 * SECOND;
			const to = from + 2 * HOUR + 30 * SECOND;
			agencies.addLead(here, 'a second early', from - SECOND);
			agencies.addLead(here, 'first', from);
			agencies.addLead(here, 'last', to);
			agencies.addLead(here, 'a second late', to + SECOND);

			const execution = await agencies.execute(
				here,
				{ period: 'range', from: onTheWall(from, zone), to: onTheWall(to, zone) },
				zone,
			);

			expect(ids(execution)).toEqual(['last', 'first']);
			expect(stage.leadsRequests(here.client).map(({ query }) => query)).toEqual([
				{ 'from-time': [inSeconds(from)], 'to-time': [inSeconds(to)] },
			]);
		},
	);

	it('a window that reaches past the 30 days kept is cut to them, with a hint', async () => {
		const here = agencies.add();
		const before = Date.now();
		agencies.addLead(here, 'still kept', before - 30 * DAY + 5 * MINUTE);

		const execution = await agencies.execute(here, {
			period: 'recent',
			recentAmount: 45,
			recentUnit: 'days',
		});

		expect(ids(execution)).toEqual(['still kept']);

		const { from, windows } = agencies.spanOf(here.client);

		expect(from).toBeGreaterThanOrEqual(secondOf(before) - 30 * DAY);
		expect(from).toBeLessThanOrEqual(Date.now() - 30 * DAY);
		// A day, and the 29 before it in weeks.
		expect(windows).toBe(6);
		expect(execution.runs(NODE)[0]?.hints).toMatchObject([
			{ message: expect.stringContaining('30 days') },
		]);
	});

	it('every lead is paired with the item that asked for it', async () => {
		const client = stage.addClient({ branches: ['p1', 'p2'] });
		const now = Date.now();
		agencies.addLead({ branchId: 'p1' }, 'first', now - MINUTE);
		agencies.addLead({ branchId: 'p2' }, 'second', now - 2 * MINUTE);
		const splitOut = {
			name: 'Split Out',
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'body.ids', options: { destinationFieldName: 'id' } },
		};
		const node = agentLeads(await stage.saveCredential(client), {
			filterBy: 'branch',
			filterId: '={{ $json.id }}',
		});
		const workflow = await stage.webhookWorkflow([splitOut, node]);

		const execution = await stage.execute(workflow, { ids: ['p2', 'p1'] });

		expect(ids(execution)).toEqual(['second', 'first']);
		expect(execution.items(NODE)).toMatchObject([
			{ pairedItem: { item: 0 } },
			{ pairedItem: { item: 1 } },
		]);
	});
});
