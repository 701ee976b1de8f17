import { beforeEach } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import type { Bench } from './bench';
import { useTriggerBench } from './triggerBench';
import type { HostOptions, TriggerHost } from './triggerHost';
import { alignClocks, settled, useVirtualTime } from './virtualTime';
import { MINUTE } from '../times';
import { passTime } from './wild';

/** How n8n publishes, polls and kills a trigger whose items have runs of their own. */
export function livesOf<Host extends TriggerHost>(
	bench: Bench,
	create: (parameters: INodeParameters, options: HostOptions) => Host,
	runs: string,
) {
	const hostOf = (options: HostOptions, parameters: INodeParameters = {}) =>
		create({ runs, ...parameters }, { startsTriggers: true, ...options });

	const activate = async (trigger: Host) => {
		const items = await trigger.activate();
		await settled();
		return items;
	};

	const published = async (options: HostOptions, parameters: INodeParameters = {}) => {
		const trigger = hostOf(options, parameters);
		await activate(trigger);
		return trigger;
	};

	/** A minute passes, and n8n polls. */
	const poll = async (trigger: Host, ms = MINUTE) => {
		alignClocks();
		passTime(bench, ms);
		const items = await trigger.tick();
		await settled();
		return items;
	};

	/** The process is killed, and another one begins. */
	const killed = async (
		trigger: Host,
		parameters = trigger.parameters,
		startsTriggers = trigger.remains.startsTriggers,
	) => {
		const next = create(parameters, { ...trigger.kill(), startsTriggers });
		await activate(next);
		return next;
	};

	return { hostOf, activate, published, poll, killed };
}

/** A bench for triggers whose leads have runs of their own; no wait is long. */
export function useRunsBench() {
	const world = useTriggerBench();

	beforeEach(() => {
		useVirtualTime(world.bench.sandbox);
	});

	return Object.assign(world, livesOf(world.bench, world.host, 'onePerLead'));
}
