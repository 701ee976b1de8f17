import { describe, expect, it } from '@jest/globals';

import { until, type Execution } from '../lab/n8n';
import { agentLeadsPushTrigger, PUSH_TRIGGER, Pushed, Stage, TRIGGER } from '../lab/n8n/stage';
import { useOnEachHost } from '../lab/n8n/stage/useStage';

const PAIR = { clientId: 'operator', clientSecret: 's:ecret+of%the agency' };
/** Its first run fails. */
const REFUSED = 'refused once';

const onEach = useOnEachHost(async (env) => {
	const stage = await Stage.start({ env });
	const pushed = await Pushed.start(stage, { runAgain: 1 });
	pushed.target.refuse(REFUSED, 1);
	return Object.assign(pushed, {
		stop: async () => {
			await stage.stop();
			await pushed.target.stop();
		},
	});
});

/** The runs of a lead, once all runs have ended: n8n keeps no data of one that is under way. */
async function runsOf(
	{ stage, workflow }: Pushed,
	id: string,
	of = workflow,
): Promise<Execution[]> {
	const executions = await until('all runs to end', 60_000, async () => {
		const all = await stage.n8n.executions(of);
		return all.every(({ status }) => ['success', 'error', 'crashed'].includes(status)) && all;
	});
	return executions.filter((execution) =>
		[PUSH_TRIGGER, TRIGGER].some((name) => execution.json(name).some((lead) => lead.id === id)),
	);
}

describe('a pushed lead', () => {
	it('is answered once its run has begun, however long that takes, and has one run, however often it comes', async () => {
		await onEach(async (pushed) => {
			const id = pushed.newId();
			pushed.target.hold(id);

			const statuses = await pushed.pushOften(id);
			pushed.target.release(id);

			expect(new Set(statuses)).toEqual(new Set([200]));
			expect(await runsOf(pushed, id)).toHaveLength(1);
			expect(pushed.stage.n8n.logs()).not.toContain('duplicate deduplication key');
		});
	});

	it('that the poll finds too has one run, whichever was first', async () => {
		await onEach(async (pushed) => {
			pushed.list(REFUSED);
			await pushed.push(REFUSED);
			const [both, polled] = [pushed.newId(), pushed.newId()];
			await pushed.pushAndPoll(both);
			pushed.list(polled);
			await pushed.target.arrival(polled);

			const { status } = await pushed.push(polled);

			expect([200, 503]).toContain(status);
			for (const id of [both, polled]) expect(await runsOf(pushed, id)).toHaveLength(1);
		});
	});

	it('comes in by a token', async () => {
		await onEach(async (pushed) => {
			const { n8n, sandbox } = pushed.stage;
			const data = { authentication: 'clientCredentials', ...PAIR };
			const push = agentLeadsPushTrigger(
				await n8n.createCredential('agentLeadsPushApi', 'Pair', data),
			);
			const workflow = await pushed.stage.publish('By token', [push]);
			const url = `${n8n.url}/webhook/${push.webhookId}`;
			const authentication = { by: 'token', tokenUrl: `${url}/token`, ...PAIR } as const;
			sandbox.pushes.add({ url: `${url}/leads`, authentication });

			sandbox.addLead('applicant', { id: 'by token' });
			await sandbox.pushes.settled();
			sandbox.pushes.clear();

			expect(await runsOf(pushed, 'by token', workflow)).toHaveLength(1);
			expect(n8n.logs()).not.toContain(PAIR.clientSecret);
		});
	});

	it('is refused without a run if nobody knows from whom it is', async () => {
		await onEach(async (pushed) => {
			const { status } = await pushed.push('of a stranger', undefined, 'another key');

			expect(status).toBe(401);
			expect(await runsOf(pushed, 'of a stranger')).toEqual([]);
		});
	});

	it('is run again by the poll if its run has failed, and that is asked for', async () => {
		await onEach(async (pushed) => {
			await until('the second run', 120_000, () => pushed.target.attempts(REFUSED).length > 1);

			const runs = await runsOf(pushed, REFUSED);
			expect(runs.map(({ status }) => status)).toEqual(['error', 'success']);
			expect(pushed.target.attempts(REFUSED)).toEqual([undefined, 2]);
		});
	});

	it('has no second run after n8n was killed', async () => {
		await onEach(async (pushed) => {
			const { target } = pushed;
			const { n8n } = pushed.stage;
			target.hold('killed');
			await pushed.push('killed');
			await target.arrival('killed');

			await n8n.kill9();
			target.release('killed');
			await n8n.restart();
			await until(
				'n8n to take pushes',
				60_000,
				async () => (await pushed.push('killed')).status === 200,
			);

			// n8n keeps no data of the run that was killed, so a run with this lead would be a second one.
			expect(await runsOf(pushed, 'killed')).toEqual([]);
			expect(target.attempts('killed')).toHaveLength(1);
		});
	});
});
