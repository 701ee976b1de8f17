import { describe, expect, it, jest } from '@jest/globals';

import type { RunResult } from '../../../lab/engine/executions';
import type { PushAnswer } from '../../../lab/engine/push';
import { usePushHost } from '../../../lab/engine/push';
import type * as VirtualTime from '../../../lab/engine/virtualTime';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const LEAD = { applicant: { id: 'a' } };

const world = usePushHost();

const statusesOf = (answers: PushAnswer[]) => answers.map(({ status }) => status);

/** Runs begin in another process, and end as the test says. */
function leaveRunsUnderWay(): void {
	world.host.beginsHere = false;
	world.host.executions.resultOf = () => undefined;
}

describe('a lead that is pushed again', () => {
	it('has one run, and n8n is asked once', async () => {
		const { host } = world;

		const answers = [await host.push(LEAD), await host.push(LEAD), await host.push(LEAD)];

		expect(statusesOf(answers)).toEqual([200, 200, 200]);
		expect(host.executions.rows).toHaveLength(1);
		expect(host.executions.refused).toBe(0);
	});

	it('has one run even if it comes twelve times at once', async () => {
		const { host } = world;

		const answers = await Promise.all(Array.from({ length: 12 }, () => host.push(LEAD)));

		expect(new Set(statusesOf(answers))).toEqual(new Set([200]));
		expect(host.executions.rows).toHaveLength(1);
		expect(host.executions.refused).toBe(0);
	});

	it('has one run even if another process started it', async () => {
		const { executions, id } = world.host;
		executions.rows.push({ json: {}, key: `agentLead:${id}:applicant:a` });

		const answer = await world.host.push(LEAD);

		expect(answer.status).toBe(200);
		expect(executions.rows).toHaveLength(1);
		expect(executions.refused).toBe(1);
	});

	it('has one run even if another node of the workflow started it', async () => {
		const { executions, id: workflowId } = world.host;
		const other = await world.another({ executions, workflowId, nodeId: 'other' });

		const answers = [await world.host.push(LEAD), await other.push(LEAD)];

		expect(statusesOf(answers)).toEqual([200, 200]);
		expect(executions.rows).toHaveLength(1);
	});
});

describe('a run that n8n cannot store', () => {
	it('is answered 503, and started when the lead comes again', async () => {
		const { host } = world;
		host.executions.isLocked = true;
		const refused = await host.push(LEAD);
		host.executions.isLocked = false;
		const taken = await host.push(LEAD);

		expect([refused.status, refused.body, refused.headers['retry-after']]).toEqual([
			503,
			expect.stringContaining('Send it again later'),
			'30',
		]);
		expect(taken.status).toBe(200);
		expect(host.executions.rows).toHaveLength(1);
		expect(world.logged).toEqual([expect.stringContaining('n8n could not store its run')]);
	});

	it('is answered 503 to all that came at once', async () => {
		const { host } = world;
		host.executions.isLocked = true;

		const answers = await Promise.all([host.push(LEAD), host.push(LEAD), host.push(LEAD)]);

		expect(statusesOf(answers)).toEqual([503, 503, 503]);
		expect(host.executions.rows).toEqual([]);
	});
});

describe('a run that n8n lists as failed without beginning it', () => {
	it('is answered 503 at each repeat, and started once n8n begins runs again', async () => {
		const { host } = world;
		host.executions.isBarred = true;
		const refused = [await host.push(LEAD), await host.push(LEAD)];
		host.executions.isBarred = false;
		const taken = [await host.push(LEAD), await host.push(LEAD)];

		expect(statusesOf([...refused, ...taken])).toEqual([503, 503, 200, 200]);
		expect(host.executions.started.filter(({ id }) => id === 'a')).toHaveLength(1);
		expect(world.logged).toEqual([
			expect.stringContaining('n8n did not begin its run'),
			expect.stringContaining('n8n did not begin its run'),
		]);
	});

	it('is not started if the poll has run it again meanwhile', async () => {
		const { executions, id } = world.host;
		executions.isBarred = true;
		await world.host.push(LEAD);
		executions.isBarred = false;
		executions.rows.push({ json: {}, key: `agentLead:${id}:applicant#2:a` });

		const answer = await world.host.push(LEAD);

		expect(answer.status).toBe(200);
		expect(executions.started.filter((lead) => lead.id === 'a')).toEqual([]);
	});
});

describe('a run that has not begun after ten seconds', () => {
	it('is answered 503 until it has ended, and is not started again', async () => {
		leaveRunsUnderWay();
		const { host } = world;

		const early = [await host.push(LEAD), await host.push(LEAD)];
		const [run] = host.executions.rows;
		if (run) host.executions.end(run, 'success');
		const late = await host.push(LEAD);

		expect(early.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
			[503, '30'],
			[503, '30'],
		]);
		expect(late.status).toBe(200);
		expect(host.executions.rows).toHaveLength(1);
		// It is not lost: nobody needs to be told.
		expect(world.logged).toEqual([]);
	});

	it.each<RunResult>(['error', 'crashed', 'stopped'])(
		'is answered 200 once it has ended, even as %s',
		async (result) => {
			leaveRunsUnderWay();
			const { host } = world;

			await host.push(LEAD);
			const [run] = host.executions.rows;
			if (run) host.executions.end(run, result);

			expect((await host.push(LEAD)).status).toBe(200);
			expect(host.executions.rows).toHaveLength(1);
		},
	);
});
