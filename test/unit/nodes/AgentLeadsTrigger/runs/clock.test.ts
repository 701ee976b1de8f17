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

describe('the clock of the machine', () => {
	it('keeps no lead waiting if it goes back by hours', async () => {
		host = new RunsHost({ runAgain: 1 });
		host.leads = [lead('a')];
		await host.publish();
		await host.last.end('error');

		const now = Date.now();
		jest.spyOn(Date, 'now').mockReturnValue(now - 5 * 60 * MINUTE);
		await host.tick();

		expect(host.ids).toEqual(['a', 'a']);
	});
});
