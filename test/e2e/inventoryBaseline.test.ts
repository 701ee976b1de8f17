import { expect, it, jest } from '@jest/globals';

import { chain, until, type Execution } from '../lab/n8n';
import {
	AGENCY,
	agentInventoryTrigger,
	INVENTORY_PATH,
	INVENTORY_TRIGGER,
	NO_OPERATION,
} from '../lab/n8n/stage';
import { useStage } from '../lab/n8n/stage/useStage';

jest.setTimeout(90_000);

/** More than a poll reads. */
const PROPERTIES = 2_500;
const DEADLINE_MS = 60_000;

const stage = useStage();

function recordsAsked(): number {
	const asked = stage.sandbox.requests.filter(({ path }) => path === `${INVENTORY_PATH}/items`);
	return asked.reduce((count, { query }) => count + (query['inventory-id'] ?? []).length, 0);
}

function told(executions: Execution[]) {
	return executions
		.flatMap((execution) => execution.triggerItems(INVENTORY_TRIGGER).items)
		.flatMap(({ json: { id, event, previous } }) => (id ? [{ id, event, previous }] : []));
}

it('n8n is killed after the baseline of a large agency: it is not taken again, and what changed meanwhile is told once', async () => {
	const properties = stage.sandbox.inventory.fill(AGENCY, PROPERTIES);
	const changed = [0, 1_250, 2_499].flatMap((index) => properties[index] ?? []);
	const expected = changed.map(({ id, price }) => ({
		id,
		event: 'priceChanged',
		previous: { price },
	}));
	const credential = await stage.saveCredential(stage.addInventoryClient());
	const trigger = agentInventoryTrigger(credential);
	const workflow = await stage.save(chain('Large agency', trigger, NO_OPERATION));
	await stage.n8n.activate(workflow);
	const executions = async () => await stage.n8n.executions(workflow);
	await until('the run with which n8n stores the baseline', DEADLINE_MS, async () => {
		const [run] = await executions();
		return run?.status === 'success' ? run : undefined;
	});
	expect(told(await executions())).toEqual([]);
	expect(recordsAsked()).toBe(PROPERTIES);

	await stage.n8n.kill9();
	for (const { id, price } of changed) {
		stage.sandbox.inventory.change(AGENCY, id, { price: price + 1_000 });
	}
	await stage.n8n.restart();
	await until('the changes', DEADLINE_MS, async () =>
		told(await executions()).length >= changed.length ? true : undefined,
	);

	expect(told(await executions())).toEqual(expect.arrayContaining(expected));
	expect(told(await executions())).toHaveLength(changed.length);
	expect(recordsAsked() - PROPERTIES).toBeLessThan(50);
});
