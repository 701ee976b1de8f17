import { describe } from '@jest/globals';

import { HostedTrigger, HOSTS } from '../../../lab/polling/hostedTrigger';
import type { ModelService } from '../../../lab/polling/leadsModel';
import { holdsInSchedules } from '../../../lab/polling/manySchedules';
import { useModelTime } from '../../../lab/polling/modelTime';

useModelTime();

describe('every lead that comes within the look-back is delivered once, none from before', () => {
	describe.each(HOSTS)('by the trigger in a host that $name', ({ name, kind }) => {
		const on = (service: ModelService) => new HostedTrigger(service, kind);
		holdsInSchedules(`the trigger in a host that ${name}`, on, 75);
	});
});
