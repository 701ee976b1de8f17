import { beforeEach } from '@jest/globals';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { AGENCY_REFS } from '../sandbox/inventory';
import { AGENCY, InventoryBench } from './inventory';
import { InventoryHost } from './inventoryPoll';
import { livesOf } from './runsBench';
import type { HostOptions } from './triggerHost';
import { useBench } from './useBench';
import { useVirtualTime } from './virtualTime';

/** A bench for changes of properties that have runs of their own; no wait is long. */
export function useChangesBench() {
	const bench = useBench(InventoryBench);

	beforeEach(() => {
		bench.sandbox.clock.standStill();
		useVirtualTime(bench.sandbox);
		for (const agencyRef of AGENCY_REFS) bench.fill(12, agencyRef);
	});

	const lives = livesOf(
		bench,
		(parameters, options) => new InventoryHost(bench, parameters, options),
		'onePerChange',
	);

	/** The workflow with a run for each change, published, and all that it has to know known. */
	const published = async (options: HostOptions, parameters: INodeParameters = {}) => {
		const trigger = await lives.published(options, parameters);
		await lives.poll(trigger);
		return trigger;
	};

	const idAt = (index: number, agencyRef = AGENCY) =>
		bench.sandbox.inventory.of(agencyRef)[index]?.id ?? '';

	/** The property at this place changes now. */
	const change = (index: number, changes: IDataObject, agencyRef = AGENCY) =>
		bench.sandbox.inventory.change(agencyRef, idAt(index, agencyRef), changes);

	return { ...lives, bench, published, idAt, change };
}
