import { Ledger } from './leadsLedger';
import type { Setup } from './leadsLedger';
import type { Trouble } from './leadsModel';
import { MINUTE, ModelService, NO_TROUBLE } from './leadsModel';
import type { HostedTrigger } from './hostedTrigger';
import type { Schedule } from './schedules';
import { CONFIGURATIONS } from './schedules';

/**
 * Plays a schedule to its end.
 *
 * @returns how many leads had to be delivered
 * @throws when a promised lead was not delivered, or one twice, or one from before the start
 */
export async function play(
	{ steps, ...start }: Schedule,
	triggerOn: (service: ModelService) => HostedTrigger,
): Promise<number> {
	const service = new ModelService(start.hasDate, start.skew, start.random, start.manner);
	const trigger = triggerOn(service);
	const ledger = new Ledger(service);
	const setup: Setup = {
		targets: CONFIGURATIONS[start.targets] ?? [],
		lookBackMs: start.lookBackMs,
		startFrom: start.startFrom,
	};
	let isActive = false;
	const pollNow = async (given: Trouble, isTick: boolean) => {
		service.beginPoll(given);
		const isActivation = !isActive || !isTick;
		if (isActivation && trigger.reloads) ledger.reload();
		const hasBaseline = isActivation && trigger.hasBaseline(setup);
		const outcome = await ledger.poll(
			setup,
			hasBaseline,
			async () => await trigger[isActivation ? 'activate' : 'tick'](setup),
		);
		if (isActivation) isActive = outcome.names !== undefined;
		service.beginPoll(NO_TROUBLE);
	};
	await trigger.restart();
	for (const step of steps) {
		switch (step.do) {
			case 'pass':
				service.pass(step.ms);
				break;
			case 'arrive':
				service.arrive(step.lead);
				break;
			case 'poll':
				await pollNow(step.trouble, true);
				break;
			case 'restart':
				await trigger.restart();
				ledger.restart();
				await pollNow(step.trouble, !step.isActivated);
				break;
			case 'configure':
				setup.targets = CONFIGURATIONS[step.targets ?? -1] ?? setup.targets;
				setup.lookBackMs = step.lookBackMs ?? setup.lookBackMs;
				await pollNow(step.trouble, false);
				break;
			case 'skew':
				service.setSkew(step.ms);
				ledger.clockChanged();
				break;
		}
	}
	// The service may have asked to be left alone for an hour.
	service.pass(service.hasDate ? 65 * MINUTE : service.behind + 65 * MINUTE);
	for (let settling = 0; settling < 4; settling++) {
		await pollNow(NO_TROUBLE, true);
		service.pass(MINUTE);
	}
	ledger.close(setup);
	return ledger.promised;
}
