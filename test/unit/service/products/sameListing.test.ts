import { describe, expect, it } from '@jest/globals';

import { behindOthers } from '../../../../service/products/sameListing';

let keys = 0;
const newKey = () => `listing ${++keys}`;

/** Whether the others are over by now. */
async function mayGo({ othersAreOver }: { othersAreOver?: Promise<unknown> }): Promise<boolean> {
	const later = new Promise((resolve) => setImmediate(() => resolve('later')));
	return (await Promise.race([othersAreOver, later])) !== 'later';
}

describe('orders for the same listing', () => {
	it('wait for those before them', async () => {
		const key = newKey();
		const [first, second] = [behindOthers(key), behindOthers(key)];

		expect(first.othersAreOver).toBeUndefined();
		expect(await mayGo(second)).toBe(false);
		first.leave();
		expect(await mayGo(second)).toBe(true);
	});

	it('wait for all of them, even if one in between has left', async () => {
		const key = newKey();
		const [first, second, third] = [behindOthers(key), behindOthers(key), behindOthers(key)];

		second.leave();
		expect(await mayGo(third)).toBe(false);
		first.leave();
		expect(await mayGo(third)).toBe(true);
	});

	it('wait for those that are left, once others have gone', async () => {
		const key = newKey();
		const [first, second] = [behindOthers(key), behindOthers(key)];
		first.leave();
		await mayGo(second);

		const third = behindOthers(key);
		expect(await mayGo(third)).toBe(false);
		second.leave();
		expect(await mayGo(third)).toBe(true);
	});

	it('wait for nobody once all have left, and nothing of them is kept', async () => {
		const key = newKey();
		const places = [behindOthers(key), behindOthers(key)];
		places.forEach(({ leave }) => leave());
		await new Promise((resolve) => setImmediate(resolve));

		expect(behindOthers(key).othersAreOver).toBeUndefined();
	});

	it('do not wait for those for another one', () => {
		behindOthers(newKey());

		expect(behindOthers(newKey()).othersAreOver).toBeUndefined();
	});
});
