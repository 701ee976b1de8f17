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

const pass = (ms: number) => {
	const now = Date.now();
	jest.spyOn(Date, 'now').mockReturnValue(now + ms);
};

describe('if n8n did not keep the run', () => {
	it('no poll waits for the slot of an empty run', async () => {
		host = new RunsHost({ runAgain: 3 });
		host.leads = [lead('a')];
		await host.publish();
		host.unkept.add(host.last.key);
		await host.last.end('success');

		pass(2 * MINUTE);
		await host.tick();
		await host.tick();
		host.leads.push(lead('b'));
		await host.tick();

		expect(host.ids).toEqual(['a', 'b']);
	});

	it('no empty run goes on behind a trigger that always outputs data', async () => {
		host = new RunsHost({ runAgain: 3 });
		host.leads = [lead('a')];
		await host.publish({ alwaysOutputData: true });
		host.unkept.add(host.last.key);
		await host.last.end('success');

		await host.unpublish();
		await settled();

		expect(host.runs).toHaveLength(1);
	});
});
