import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { RunsHost } from '../../../../lab/polling/runsHost';
import { MINUTE } from '../../../../lab/polling/leadsModel';

let host: RunsHost;

const lead = (id: string) => ({ id, createdAt: new Date(Date.now() - MINUTE).toISOString() });

beforeEach(() => {
	jest.restoreAllMocks();
	jest.spyOn(Math, 'random').mockReturnValue(0);
});

afterEach(async () => {
	await host.unpublish();
});

/** The runs that a process after this one would hold for under way. */
const startedIn = ({ stored }: RunsHost) => JSON.stringify((stored.node as { runs?: object }).runs);

const pass = (ms: number) => {
	const now = Date.now();
	jest.spyOn(Date, 'now').mockReturnValue(now + ms);
};

describe('the end of a run', () => {
	it('stores nothing of a workflow as it was before it was published again', async () => {
		host = new RunsHost();
		host.leads = [lead('long')];
		await host.publish();
		const long = host.last;
		await host.publish();
		Object.assign(host.published?.staticData ?? {}, { other: 'node of the workflow' });
		host.stored = structuredClone(host.published?.staticData ?? {});
		await host.unpublish();

		await long.end('success');

		expect(host.stored).toHaveProperty('other', 'node of the workflow');
	});

	it('takes nothing back that the trigger has since delivered in one run for each poll', async () => {
		host = new RunsHost();
		host.leads = [lead('long')];
		await host.publish();
		const long = host.last;
		host.settings = { runs: 'onePerPoll' };
		await host.publish();
		host.leads = [lead('long'), lead('later')];
		const items = await host.tick();
		await host.unpublish();
		const stored = JSON.stringify(host.stored);

		await long.end('success');

		expect(items?.[0]?.map(({ json }) => json.id)).toEqual(['later']);
		expect(JSON.stringify(host.stored)).toBe(stored);
	});

	it('is stored by a quiet poll, although the workflow was published again before the run ended', async () => {
		host = new RunsHost({ runAgain: 3 });
		host.leads = [lead('a')];
		await host.publish();
		const run = host.last;
		await host.publish();
		await run.end('success');

		pass(2 * MINUTE);
		await host.tick();

		expect(startedIn(host)).toBe('{}');
	});
});
