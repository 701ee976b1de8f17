import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../../service/basics/concurrency';
import { Agency } from '../../service/inventory/agency';
import { agencyRefOf } from '../../service/inventory/agencyRef';
import { INVENTORY_INTEGRATION } from '../../service/inventory/integration';
import { Session } from '../../service/session';
import { reportFailures } from '../common/polling/failures';
import type { PollLimits } from '../common/polling/host';
import type { Occasion, PolledNode } from '../common/polling/polledNode';
import { AgencyReading, isOfOne } from './agencyReading';
import type { Progress } from './progress';
import { agencyMark } from './progress';
import type { Settings } from './settings';
import type { ChangeToRun, ChangeTracker } from './tracker';

/** The data that all steps of a poll for changes of properties share. */
export interface PollOccasion extends Occasion<PolledNode<Progress, ChangeToRun, ChangeTracker>> {
	settings: Settings;
	/** Is called if this poll completes the baseline of an agency, that is the first reading of all its properties. */
	onBaseline: () => void;
}

/**
 * Makes the name of an agency in messages: “Properties of agency 6f1d2c3b…”. The AgencyRef is shortened, because people
 * who may read n8n's log are not always allowed to know it.
 */
export function agencyTitle(agencyRef: string): string {
	return `Properties of agency ${agencyRef.slice(0, 8)}…`;
}

/**
 * Asks the service for changes of properties. The reading of each agency continues where the previous poll left it.
 *
 * @throws NodeApiError if the service answered for no agency or, in an activation, refused a request
 */
export async function askForChanges(
	occasion: PollOccasion,
	limits: PollLimits,
	tracker: ChangeTracker,
): Promise<void> {
	const { context, memory, settings, isActivation } = occasion;
	const { clock, failures } = memory;
	const { agencies } = tracker;
	const credentials = await context.getCredentials(INVENTORY_INTEGRATION.credentialType);
	const session = new Session(context, INVENTORY_INTEGRATION, credentials, limits, clock);
	const terms = { ...settings, clock, isActivation, startedAt: Date.now() };
	const agencyRefs = new Map(
		agencyRefsOf(settings, credentials).map((agencyRef) => [agencyMark(agencyRef), agencyRef]),
	);
	for (const key of agencies.keys()) if (!agencyRefs.has(key)) agencies.delete(key);
	const targets = await mapConcurrently(
		[...agencyRefs],
		MOST_REQUESTS_AT_ONCE,
		async ([key, agencyRef]) => {
			const title = agencyTitle(agencyRef);
			const isWaiting = !isActivation && failures.isToWait(key);
			const failed = failures.failureOf(key);
			const reading = new AgencyReading(
				{
					...terms,
					openOf: (id) => tracker.openOf(key, id),
					isOneByOne: failed !== undefined && isOfOne(failed),
					mayAsk: () => Date.now() < limits.deadline && tracker.queue.hasRoom,
					deliver: (change) => {
						const { begunAt } = reading.progress;
						tracker.add({ ...change, agency: key, agencyRef, begunAt });
					},
				},
				new Agency(session, agencyRef),
				agencies.get(key),
			);
			const { progress, isNew, isBaseline } = reading;
			agencies.set(key, progress);
			if (!isWaiting) await reading.read();
			if (isBaseline && !reading.isBaseline) {
				context.logger.info(
					`${title}: all ${progress.known.size} have been read. From now on, changes start runs.`,
				);
				occasion.onBaseline();
			}
			const { failure, isAnswered } = reading;
			// If the service is busy or cannot be reached, this poll does not retry the requests for the other
			// agencies.
			if (failure?.isTransient) session.stopRepeating();
			return { key, title, failure, isAnswered, isWaiting, isNew };
		},
	);
	await reportFailures(occasion, targets);
}

export function agencyRefsOf(
	{ agencyRefs }: Settings,
	credentials: ICredentialDataDecryptedObject,
): string[] {
	return agencyRefs.length > 0 ? agencyRefs : [agencyRefOf(credentials)];
}
