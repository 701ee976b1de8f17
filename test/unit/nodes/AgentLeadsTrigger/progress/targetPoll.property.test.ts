import { describe } from '@jest/globals';

import type { ModelService } from '../../../../lab/polling/leadsModel';
import { holdsInSchedules } from '../../../../lab/polling/manySchedules';
import { useModelTime } from '../../../../lab/polling/modelTime';
import { PureTrigger } from '../../../../lab/polling/pureTrigger';

useModelTime();

describe('every lead that comes within the look-back is delivered once, none from before', () => {
	describe.each([
		['always stored', true],
		['stored with leads', false],
	])('by its targets alone, %s', (name, isAlwaysStored) => {
		const on = (service: ModelService) => new PureTrigger(service, isAlwaysStored);
		holdsInSchedules(`its targets alone, ${name}`, on, 1_500);
	});
});
