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

describe('a process of n8n that polls and starts no triggers', () => {
	it('leaves the leads to the process that has given others runs of their own', async () => {
		host = new RunsHost();
		host.leads = [lead('a')];
		await host.publish();
		await host.published?.response.closeFunction?.();
		host.leads.push(lead('b'));

		const items = await host.tick();
		await host.publish();

		expect(items).toBeNull();
		expect(host.ids).toEqual(['a', 'b']);
	});

	it('leaves them as well if no process has', async () => {
		host = new RunsHost({ runs: 'onePerPoll' });
		await host.publish();
		await host.published?.response.closeFunction?.();
		host.settings = {};
		host.leads = [lead('a')];

		const items = await host.tick();
		await host.publish();

		expect(items).toBeNull();
		expect(host.ids).toEqual(['a']);
	});
});
