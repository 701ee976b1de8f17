import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { RunsHost } from '../../../../lab/polling/runsHost';
import { MINUTE } from '../../../../lab/polling/leadsModel';

let host: RunsHost | undefined;

const lead = (id: string) => ({ id, createdAt: new Date(Date.now() - MINUTE).toISOString() });

const idsOf = (items: Awaited<ReturnType<RunsHost['tick']>>) =>
	items?.[0]?.map(({ json }) => json.id);

beforeEach(() => {
	jest.restoreAllMocks();
	jest.spyOn(Math, 'random').mockReturnValue(0);
});

afterEach(async () => {
	await host?.unpublish();
});

describe('a lead whose run n8n could not store', () => {
	it('is delivered all the same when the person chooses one run for each poll', async () => {
		host = new RunsHost();
		host.leads = [lead('a'), lead('b')];
		host.failure = new Error('The database is locked');
		await host.publish();
		expect(host.emitted).toBe(2);

		host.settings = { runs: 'onePerPoll' };
		const items = await host.publish();

		expect(idsOf(items)).toEqual(['a', 'b']);
	});
});
