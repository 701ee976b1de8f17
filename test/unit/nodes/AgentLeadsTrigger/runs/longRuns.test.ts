import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { RunsHost, settled } from '../../../../lab/polling/runsHost';
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
const startedIn = ({ stored }: RunsHost) =>
	Object.keys((stored.node as { runs?: object }).runs ?? {});

const pass = (ms: number) => {
	const now = Date.now();
	jest.spyOn(Date, 'now').mockReturnValue(now + ms);
};

describe('a run that takes long', () => {
	it('does not keep a quiet poll from storing that another one has succeeded', async () => {
		host = new RunsHost({ runAgain: 3 });
		host.leads = [lead('long'), lead('short')];
		await host.publish();
		await host.runs[1]?.end('success');

		pass(2 * MINUTE);
		await host.tick();

		expect(startedIn(host)).toEqual(['applicant long']);
	});
});

describe('a poll that waits for the service while the workflow is published again', () => {
	it('stores nothing of the workflow as it was before', async () => {
		host = new RunsHost({ runAgain: 3 });
		host.leads = [lead('a')];
		await host.publish();
		const run = host.last;
		let answer = () => {};
		host.slow = new Promise((resolve) => (answer = resolve));
		const before = host.tick();
		const again = host.publish();
		await settled();
		await run.end('success');
		Object.assign(host.published?.staticData ?? {}, { other: 'node of the workflow' });
		host.stored = structuredClone(host.published?.staticData ?? {});

		answer();
		await Promise.all([before, again]);

		expect(host.stored).toHaveProperty('other', 'node of the workflow');
	});
});

describe('hundreds of runs that do not end', () => {
	it('do not keep the trigger from asking for leads', async () => {
		host = new RunsHost();
		for (let index = 0; index < 300; index++) host.leads.push(lead(`long ${index}`));
		await host.publish();
		while (host.runs.length < 300) {
			pass(2 * MINUTE);
			await host.tick();
		}

		host.leads.push(lead('new'));
		pass(2 * MINUTE);
		await host.tick();

		expect(host.ids).toContain('new');
	});
});
