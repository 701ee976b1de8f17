import { afterAll, describe, expect, jest } from '@jest/globals';
import fc from 'fast-check';

import type { WildStep } from '../../lab/sandbox/wild';
import type { Bench } from '../../lab/engine/bench';
import { InventoryBench } from '../../lab/engine/inventory';
import { LeadsBench } from '../../lab/engine/leads';
import { ProductsBench } from '../../lab/engine/products';
import type * as VirtualTime from '../../lab/engine/virtualTime';
import { useVirtualTime } from '../../lab/engine/virtualTime';
import {
	expectNamedItem,
	expectNoSecret,
	itHolds,
	renewClient,
	toldTo,
	wildSteps,
} from '../../lab/engine/wild';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../lab/engine/virtualTime').withoutWaits(),
);

interface Plan {
	isWrong: boolean;
	/** Whether an agency with several branches, which the test cannot name, is behind the pair. */
	hasBranches: boolean;
	steps: WildStep[];
}

const plan: fc.Arbitrary<Plan> = fc.record({
	isWrong: fc.constantFrom(false, false, false, true),
	hasBranches: fc.boolean(),
	steps: wildSteps(),
});

const BENCHES = [
	['leads', async () => await LeadsBench.start()],
	['inventory', async () => await InventoryBench.start()],
	['products', async () => await ProductsBench.start()],
] as const;

const started: Bench[] = [];

afterAll(async () => {
	jest.useRealTimers();
	await Promise.all(started.map(async (bench) => await bench.stop()));
});

async function testOnce(integration: 'leads' | 'inventory' | 'products', bench: Bench, each: Plan) {
	const { sandbox } = bench;
	const { agencyRefs } = sandbox.inventoryClient;
	renewClient(bench, {
		integration,
		...(integration === 'inventory' && { agencyRefs }),
		...(each.hasBranches && { branches: ['101', '102'] }),
	});
	sandbox.wild.plan(each.steps);
	return await bench.testCredential(each.isWrong ? { clientSecret: 'wrong-secret-of-nobody' } : {});
}

describe.each(BENCHES)('the test of a credential for %s', (integration, start) => {
	itHolds('says that it works if it does, and else why not', async () => {
		const bench: Bench = await start();
		started.push(bench);
		useVirtualTime(bench.sandbox);
		const play = async (each: Plan) => {
			const { status, message } = await testOnce(integration, bench, each);
			expectNoSecret(bench, [message]);
			// Who is asked for beside the test decides nothing.
			const told = toldTo(bench).filter(({ path }) => !path.endsWith('/partners/integration'));
			const [token, data] = (['token', 'data'] as const).map((kind) =>
				told.filter((answer) => answer.kind === kind).at(-1),
			);
			// It asks for what it may not have: the service's own refusal shows that it knows the token.
			const isOwnRefusal = data?.isWhole === true && data.status === 400 && each.hasBranches;
			// A refusal that is not the service's, in the service's own form.
			if (data?.status === 400 && !data.isDone) return;
			// A refusal without its errors can hardly be known for the service's own.
			const isBare = isOwnRefusal && data.wildness.includes('missingFields');
			const isGood = token?.isReadable && (data?.isReadable || isOwnRefusal);
			if (status === 'OK') {
				expect({ isGood, isWrong: each.isWrong }).toEqual({ isGood: true, isWrong: false });
			} else {
				expectNamedItem({ error: message, message });
				if (!isBare) expect(isGood).not.toBe(true);
			}
		};
		return { name: `Credential test, ${integration}`, bench, plan, play };
	});
});
