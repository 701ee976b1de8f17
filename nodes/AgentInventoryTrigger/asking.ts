import type { IDataObject, ICredentialDataDecryptedObject } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../../service/basics/concurrency';
import { isoSeconds } from '../../service/basics/times';
import { ServiceError } from '../../service/failure';
import { Agency } from '../../service/inventory/agency';
import { agencyRefOf } from '../../service/inventory/agencyRef';
import type { FetchedProperties } from '../../service/inventory/properties';
import { fetchProperties } from '../../service/inventory/properties';
import { INVENTORY_INTEGRATION } from '../../service/inventory/integration';
import { Session } from '../../service/session';
import type { PollLimits } from '../common/polling/host';
import { limitsOfPoll, orLate } from '../common/polling/host';
import type { Occasion } from '../common/polling/memory';
import { faceFailures } from '../common/polling/failures';
import { tellOfClock } from '../common/polling/failures';
import type { ChangeToRun } from './changeTracker';
import type { InventoryMemory } from './inventoryMemory';
import { agencyTitle, baselineNotice, baselineWholeNotice } from './notices';
import type { Settings } from './settings';
import type { DueList, DueRecords, PollTerms } from './progress/agencyPoll';
import { AgencyPoll } from './progress/agencyPoll';
import { agencyMark, hasBaseline, scopeOf } from './progress/agencyProgress';
import type { InventorySource } from './progress/readAgency';
import { readAgency } from './progress/readAgency';
import type { Progress } from './progress/storedProgress';

/** Each sends several requests at once. */
const AGENCIES_AT_ONCE = 4;

/** What a poll goes by. */
export interface PollOccasion extends Occasion<InventoryMemory> {
	settings: Settings;
	/** Called if this poll completes the baseline of an agency. */
	onBaseline: () => void;
}

/** Where the changes go. */
export interface Basket {
	add(change: ChangeToRun): void;
	/** Whether there is room for more. */
	hasRoom(): boolean;
	/** Whether a change of a property is on its way. */
	isOpen(agency: string, id: string): boolean;
	/** Whether a change counts as delivered only once its run has ended. */
	holds: boolean;
}

interface AskedAgency {
	agencyRef: string;
	poll: AgencyPoll;
}

/** The part of a poll in which the service is asked, for every agency from where it stands. */
export class InventoryAsking {
	readonly limits: PollLimits;

	private readonly startedAt = Date.now();

	private agencies: AskedAgency[] = [];

	private session?: Session;

	/** What failed, if every other request would fail of it as well. */
	private hopeless?: ServiceError;

	/** @param known how far the polls before this one came; this one goes on in it */
	constructor(
		private readonly occasion: PollOccasion,
		private readonly known: Progress['agencies'],
		private readonly basket: Basket,
	) {
		const { settings, memory, isActivation } = occasion;
		if (isActivation) memory.failures.forgetWaits();
		this.limits = limitsOfPoll(occasion, settings.limits);
	}

	/** How far each agency came. */
	get reached(): Progress['agencies'] {
		return new Map(this.agencies.map(({ poll }) => [poll.key, poll.progress]));
	}

	/** Of the agencies that this poll begins, where they begin. */
	get begun(): Progress['agencies'] {
		return new Map(
			this.agencies.flatMap(({ poll }) => (poll.begun ? [[poll.key, poll.begun] as const] : [])),
		);
	}

	/** Call once, before `ask`. */
	async begin(): Promise<void> {
		const { context, memory, isActivation } = this.occasion;
		const credentials = await context.getCredentials(INVENTORY_INTEGRATION.credentialType);
		const { clock, failures } = memory;
		this.session = new Session(context, INVENTORY_INTEGRATION, credentials, this.limits, clock);
		failures.askAs(this.session.fingerprint);
		this.agencies = this.agencyRefs(credentials).map((agencyRef) => {
			const key = agencyMark(agencyRef);
			const isWaiting = !isActivation && failures.isToWait(key);
			const terms = this.termsOf(key);
			return { agencyRef, poll: new AgencyPoll(key, terms, this.known.get(key), { isWaiting }) };
		});
	}

	/** n8n has not stored the last poll yet: known agencies wait, or they would deliver twice. */
	leaveKnown(): void {
		for (const { poll } of this.agencies) poll.leaveToNextPoll();
	}

	/** @throws NodeApiError when no agency was answered */
	async ask(): Promise<void> {
		const whole = [...this.known].filter(([, each]) => hasBaseline(each));
		const hadBaseline = new Set(whole.map(([key]) => key));
		await mapConcurrently(this.agencies, AGENCIES_AT_ONCE, async (each) => await this.askFor(each));
		for (const { poll } of this.agencies) void poll.progress;
		for (const each of this.agencies) this.tellOfBaseline(each, hadBaseline);
		tellOfClock(this.occasion);
		await faceFailures(
			this.occasion,
			this.agencies.map(({ agencyRef, poll }) => polledTarget(agencyRef, poll)),
		);
	}

	private agencyRefs(credentials: ICredentialDataDecryptedObject): string[] {
		const { agencyRefs } = this.occasion.settings;
		return agencyRefs.length > 0 ? agencyRefs : [agencyRefOf(credentials)];
	}

	private termsOf(key: string): PollTerms {
		const { settings, memory, isActivation } = this.occasion;
		const { events: wanted, statuses, query, startFrom, lookBackMs } = settings;
		return {
			clock: memory.clock,
			startedAt: this.startedAt,
			isActivation,
			startFrom,
			lookBackMs,
			scope: scopeOf(query),
			chosen: (events, { status }) =>
				statuses?.includes(status) === false ? [] : events.filter((each) => wanted.includes(each)),
			isOpen: (id) => this.basket.isOpen(key, id),
			holds: this.basket.holds,
		};
	}

	private async askFor({ agencyRef, poll }: AskedAgency): Promise<void> {
		const { session } = this;
		if (!session) throw new Error('The poll has not begun');
		const agency = new Agency(session, agencyRef);
		await readAgency(poll, this.sourceOf(agency), (changes) => {
			const { begunAt } = poll.progress;
			if (changes.length > 0) this.known.set(poll.key, poll.progress);
			const place = { agency: poll.key, agencyRef, begunAt };
			for (const change of changes) this.basket.add({ ...change, ...place });
		});
		if (poll.failure) this.noteFailure(session, poll.failure);
	}

	private sourceOf(agency: Agency): InventorySource {
		const { limits, occasion } = this;
		const queryOf = ({ list, by, window: { from, to } }: DueList): IDataObject => ({
			...occasion.settings.query,
			archived: String(list === 'archived'),
			...(from !== undefined && { [`${by}-from`]: isoSeconds(from) }),
			...(to !== undefined && { [`${by}-to`]: isoSeconds(to) }),
		});
		return {
			firstPage: async (due) =>
				await orLate(
					limits,
					async (over) => await agency.endingWith(over).firstPage('filter', queryOf(due)),
				),
			allPages: async (due) =>
				await orLate(
					limits,
					async (over) => await agency.endingWith(over).list('filter', queryOf(due), Infinity),
				),
			records: async (batches) => {
				const records = await orLate(
					limits,
					async (over) => await fetchBatches(agency.endingWith(over), batches),
				);
				if (!(records instanceof ServiceError)) return records;
				return new Map(batches.flat().map((id) => [id, records]));
			},
			mayAsk: () => !this.hopeless && Date.now() < limits.deadline && this.basket.hasRoom(),
		};
	}

	private noteFailure(session: Session, failure: ServiceError): void {
		const isOfToken = failure.details.requestKind === 'token';
		if (isOfToken) for (const { poll } of this.agencies) poll.failWithOthers(failure);
		if (isOfToken || failure.kind === 'credential') this.hopeless ??= failure;
		// A service that is busy or out of reach is not pressed for the other agencies.
		if (failure.isTransient) session.stopRepeating();
	}

	private tellOfBaseline({ agencyRef, poll }: AskedAgency, hadBaseline: Set<string>): void {
		const { context, memory } = this.occasion;
		const { progress } = poll;
		const count = progress.known.size;
		if (!hasBaseline(progress)) {
			const isToTell = poll.isAnswered && memory.isToTell(`baseline ${poll.key}`);
			if (isToTell) context.logger.info(baselineNotice(agencyTitle(agencyRef), count));
		} else if (!hadBaseline.has(poll.key)) {
			context.logger.info(baselineWholeNotice(agencyTitle(agencyRef), count));
			this.occasion.onBaseline();
		}
	}
}

function polledTarget(agencyRef: string, poll: AgencyPoll) {
	const { key, failure, isAnswered, isWaiting, isNew } = poll;
	return { key, title: agencyTitle(agencyRef), failure, isAnswered, isWaiting, isNew };
}

async function fetchBatches(agency: Agency, batches: DueRecords): Promise<FetchedProperties> {
	const fetched = await mapConcurrently(
		batches,
		MOST_REQUESTS_AT_ONCE,
		async (batch, failed) => await fetchProperties(agency.endingWith(failed), batch),
	);
	return new Map(fetched.flatMap((records) => [...records]));
}
