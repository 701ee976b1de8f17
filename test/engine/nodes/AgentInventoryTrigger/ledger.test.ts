import { describe, expect, it, jest } from '@jest/globals';

import { InventoryBench } from '../../../lab/engine/inventory';
import { playLedger } from '../../../lab/engine/inventoryLedger';
import { shortenBackoff } from '../../../lab/engine/bench';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import { useVirtualTime } from '../../../lab/engine/virtualTime';
import { seedOf } from '../../../lab/seeds';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const HOSTS = [
	['the default scheduler', {}],
	['durable cursors', { isDurable: true }],
] as const;

const SEEDS = Number(process.env.TRIGGER_RUNS ?? 1) * 3;

describe.each(['onePerPoll', 'onePerChange'] as const)('%s', (runs) => {
	describe.each(HOSTS)('on %s', (name, options) => {
		it('each lasting change comes once and in order', async () => {
			const first = seedOf('TRIGGER');
			let delivered = 0;
			for (let seed = first; seed < first + SEEDS; seed++) {
				process.stdout.write(`changes, ${runs}, ${name}: TRIGGER_SEED=${seed}\n`);
				const bench = await InventoryBench.start();
				bench.sandbox.standStill();
				shortenBackoff();
				useVirtualTime(bench.sandbox);
				try {
					const result = await playLedger(bench, seed, runs, options);
					process.stdout.write(`${JSON.stringify(result)}\n`);
					delivered += result.delivered;
				} finally {
					jest.useRealTimers();
					jest.restoreAllMocks();
					await bench.stop();
				}
			}

			expect(delivered).toBeGreaterThan(SEEDS * 20);
		}, 600_000);
	});
});
