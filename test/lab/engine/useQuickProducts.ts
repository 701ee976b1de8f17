import { beforeEach, expect, jest } from '@jest/globals';

import * as retry from '../../../service/http/retry';
import type { NodeRun } from './engine';
import { ProductsBench } from './products';
import { useBench } from './useBench';

/** A bench whose service is done with an order at the first look, and whose node waits no time. */
export function useQuickProducts(): ProductsBench {
	const bench = useBench(ProductsBench);
	beforeEach(() => {
		bench.sandbox.products.configure({ settleAfterGets: 0 });
		jest.spyOn(retry, 'pause').mockResolvedValue();
	});
	return bench;
}

/** A step that fails as an order of listing 123 after `failAtOnce` has it. */
export function expectFewImages({ error, items }: NodeRun): void {
	expect(items).toEqual([]);
	expect(error?.message).toBe(
		'Premium listing for listing 123 was ordered, but not activated: the listing has too few images',
	);
}
