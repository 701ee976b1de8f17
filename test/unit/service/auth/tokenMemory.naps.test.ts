import { expect, it, jest } from '@jest/globals';

import { TokenPair } from '../../../lab/tokenPair';

const naps: number[] = [];

jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async (ms: number) => {
		naps.push(ms);
		await Promise.resolve();
	},
}));

it('a rest ends with its naps, whatever the clocks say', async () => {
	const pair = new TokenPair();
	pair.body = async (count) => {
		await Promise.resolve();
		pair.status = count === 1 ? 503 : 200;
		pair.headers = count === 1 ? { 'retry-after': '2' } : {};
		return count === 1 ? '' : { access_token: 'token', expires_in: 3_600 };
	};
	jest.spyOn(Math, 'random').mockReturnValue(0);
	// They stand still.
	jest.useFakeTimers();

	const token = await pair.obtain({ maxTries: 2, maxWaitMs: 10_000 });

	expect(token.accessToken).toBe('token');
	expect(naps.slice(0, 10)).toEqual([1_000, 1_000]);
});
