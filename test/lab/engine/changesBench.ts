import { beforeEach } from '@jest/globals';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { shortenBackoff } from './bench';
import { AGENCY_REFS } from '../sandbox/inventory';
import { AGENCY, InventoryBench } from './inventory';
import { InventoryHost, triggerOfNewProcess } from './inventoryPoll';
import type { HostOptions } from './triggerHost';
import { useBench } from './useBench';
import { alignClocks, useVirtualTime } from './virtualTime';

const MINUTE = 60_000;

export const CHANGES_HOSTS: Array<[string, HostOptions]> = [
	['the default scheduler', {}],
	['durable cursors', { isDurable: true }],
];

/** A bench for changes of properties that have runs of their own; no wait is long. */
export function useChangesBench() {
	const bench = useBench(InventoryBench);

	beforeEach(() => {
		bench.sandbox.standStill();
		useVirtualTime(bench.sandbox);
		shortenBackoff();
		for (const agencyRef of AGENCY_REFS) bench.fill(12, agencyRef);
	});

	const hostOf = (options: HostOptions, parameters: INodeParameters = {}) =>
		new InventoryHost(
			bench,
			{ runs: 'onePerChange', ...parameters },
			{ startsTriggers: true, ...options },
		);

	const activate = async (trigger: InventoryHost) => {
		const items = await trigger.activate();
		await settled();
		return items;
	};

	/** A minute passes, and n8n polls. */
	const poll = async (trigger: InventoryHost, ms = MINUTE) => {
		alignClocks();
		bench.sandbox.advance(ms);
		alignClocks();
		const items = await trigger.tick();
		await settled();
		return items;
	};

	/** The workflow with a run for each change, published, and all that it has to know known. */
	const published = async (options: HostOptions, parameters: INodeParameters = {}) => {
		const trigger = hostOf(options, parameters);
		await activate(trigger);
		await poll(trigger);
		return trigger;
	};

	/** The process is killed, and another one begins. */
	const killed = async (trigger: InventoryHost) => {
		const node = await triggerOfNewProcess();
		const next = new InventoryHost(bench, trigger.parameters, { ...trigger.remains, node });
		await activate(next);
		return next;
	};

	const idAt = (index: number, agencyRef = AGENCY) =>
		bench.sandbox.inventory.of(agencyRef)[index]?.id ?? '';

	/** The property at this place changes now. */
	const change = (index: number, changes: IDataObject, agencyRef = AGENCY) =>
		bench.sandbox.inventory.change(agencyRef, idAt(index, agencyRef), changes);

	return { bench, hostOf, activate, poll, published, killed, idAt, change };
}

/** What goes on behind a poll has come as far as it can. */
async function settled(): Promise<void> {
	for (let turn = 0; turn < 60; turn++) await new Promise((resolve) => setImmediate(resolve));
}
