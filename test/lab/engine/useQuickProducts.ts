import { beforeEach, jest } from '@jest/globals';

import * as retry from '../../../service/http/retry';
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
