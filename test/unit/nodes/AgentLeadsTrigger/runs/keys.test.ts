import { beforeEach, describe, expect, it, jest } from '@jest/globals';

import { RunsHost, settled } from '../../../../lab/polling/runsHost';
import { MINUTE } from '../../../../lab/polling/leadsModel';

const lead = (id: string) => ({ id, createdAt: new Date(Date.now() - MINUTE).toISOString() });

beforeEach(() => {
	jest.restoreAllMocks();
	jest.spyOn(Math, 'random').mockReturnValue(0);
});

describe('the key of a run', () => {
	it('is no other lead’s, even if an id ends like the number of an attempt', async () => {
		const host = new RunsHost({ runAgain: 1 });
		host.leads = [lead('abc')];
		await host.publish();
		await host.last.end('error');
		jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * MINUTE);
		await host.tick();
		await host.last.end('success');

		host.leads = [lead('abc'), lead('abc:2')];
		await host.tick();
		await settled();

		expect(host.ids).toEqual(['abc', 'abc', 'abc:2']);
		await host.unpublish();
	});
});
