import type { HostKind } from './hostedTrigger';
import { HostedTrigger, targetOf } from './hostedTrigger';
import type { Setup } from './leadsLedger';
import type { Arrival, Manner, Trouble } from './leadsModel';
import { A_LEAD, HOUR, MINUTE, ModelService, NO_TROUBLE } from './leadsModel';

export const APPLICANTS = [targetOf('applicant')];

/** What is unusual about a world. */
export interface World {
	manner?: Manner;
	targets?: Setup['targets'];
	startFrom?: Setup['startFrom'];
	hasDate?: boolean;
	skew?: number;
}

/** The trigger in a host, with the model of the service that it polls. */
export async function worldOn(kind: HostKind, given: World = {}) {
	const { targets = APPLICANTS, startFrom = 'activation' } = given;
	const setup: Setup = { targets, lookBackMs: HOUR, startFrom };
	const service = new ModelService(given.hasDate ?? true, given.skew ?? 0, 1, given.manner);
	const trigger = new HostedTrigger(service, kind);
	await trigger.restart();
	const poll = async (isTick: boolean, trouble: Trouble) => {
		service.beginPoll(trouble);
		const { names } = await (isTick ? trigger.tick(setup) : trigger.activate(setup));
		return names;
	};
	const tick = async (trouble = NO_TROUBLE) => await poll(true, trouble);
	const activate = async (trouble = NO_TROUBLE) => await poll(false, trouble);
	const arrive = (more: Partial<Arrival> = {}) => {
		service.arrive({ ...A_LEAD, isCut: false, ...more });
		return service.leads.at(-1)?.name;
	};
	/** Polls for a while, and says which leads came. */
	const pollFor = async (ms: number, everyMs = MINUTE, trouble = NO_TROUBLE) => {
		const names: string[] = [];
		for (let passed = 0; passed < ms; passed += everyMs) {
			service.pass(everyMs);
			names.push(...((await tick(trouble)) ?? []));
		}
		return names;
	};
	return { service, trigger, setup, tick, activate, arrive, pollFor };
}
