import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../../service/basics/concurrency';
import { ServiceError } from '../../service/failure';
import { Agency } from '../../service/inventory/agency';
import { agencyRefOf } from '../../service/inventory/agencyRef';
import { INVENTORY_INTEGRATION } from '../../service/inventory/integration';
import type { FetchedProperties } from '../../service/inventory/properties';
import { fetchProperties } from '../../service/inventory/properties';
import { Session } from '../../service/session';
import { logClockDifference, reportFailures } from '../common/polling/failures';
import { beforeDeadline, limitsOfPoll } from '../common/polling/host';
import type { NodeMemory, Occasion } from '../common/polling/memory';
import type { InventorySource, ReadingTerms } from './agencyReading';
import { AgencyReading, isOfOne } from './agencyReading';
import type { KnownProperty } from './known';
import type { Pass, Progress } from './progress';
import { agencyMark, scopeOf } from './progress';
import type { Settings } from './settings';
import type { ChangeToRun, ChangeTracker } from './tracker';

/** Each sends several requests at once. */
const AGENCIES_AT_ONCE = 4;

/** Enough to know an agency by: more people may read the log than know the AgencyRef. */
const TITLE_LENGTH = 8;

/** For people: “Properties of agency 6f1d2c3b…”. */
export function agencyTitle(agencyRef: string): string {
	return `Properties of agency ${agencyRef.slice(0, TITLE_LENGTH)}…`;
}

/** What a poll goes by. */
export interface PollOccasion extends Occasion<NodeMemory<Progress, ChangeToRun, ChangeTracker>> {
	settings: Settings;
	/** Called if this poll completes the baseline of an agency. */
	onBaseline: () => void;
}

/** Where the changes go. */
export interface Basket {
	add(change: ChangeToRun): void;
	/** Whether there is room for more. */
	hasRoom(): boolean;
	/** What a property becomes by a change that is on its way. */
	openOf(agency: string, id: string): KnownProperty | undefined;
	/** Whether a change counts as delivered only once its run has ended. */
	holds: boolean;
}

interface AskedAgency {
	key: string;
	/** For people: “Properties of agency 6f1d2c3b…”. */
	title: string;
	/** Whether the service has asked to be left alone for longer. */
	isWaiting: boolean;
	reading: AgencyReading;
}

/** The part of a poll in which the service is asked, for every agency from where it stands. */
export class InventoryAsking {
	readonly limits;

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
		return new Map(this.agencies.map(({ key, reading }) => [key, reading.progress]));
	}

	/** Of the agencies that this poll begins, where they begin. */
	get begun(): Progress['agencies'] {
		return new Map(
			this.agencies.flatMap(({ key, reading: { begun } }) => (begun ? [[key, begun]] : [])),
		);
	}

	/** Call once, before `ask`. */
	async begin(): Promise<void> {
		const { context, memory, settings, isActivation } = this.occasion;
		const credentials = await context.getCredentials(INVENTORY_INTEGRATION.credentialType);
		const { clock, failures } = memory;
		const session = new Session(context, INVENTORY_INTEGRATION, credentials, this.limits, clock);
		this.session = session;
		failures.askAs(session.fingerprint);
		this.agencies = agencyRefsOf(settings, credentials).map((agencyRef) => {
			const key = agencyMark(agencyRef);
			const isWaiting = !isActivation && failures.isToWait(key);
			const title = agencyTitle(agencyRef);
			return { key, title, isWaiting, reading: this.readingOf(session, key, agencyRef) };
		});
	}

	/** @throws NodeApiError when no agency was answered */
	async ask(): Promise<void> {
		const targets = await mapConcurrently(this.agencies, AGENCIES_AT_ONCE, async (asked) => {
			const { key, title, isWaiting, reading } = asked;
			const hadBaseline = this.hasBaseline(key);
			if (!isWaiting) await reading.read();
			if (reading.failure) this.noteFailure(reading.failure);
			if (!hadBaseline) this.tellOfBaseline(asked);
			const { failure, isAnswered, isNew } = reading;
			return { key, title, failure, isAnswered, isWaiting, isNew };
		});
		logClockDifference(this.occasion);
		await reportFailures(this.occasion, targets);
	}

	private hasBaseline(key: string): boolean {
		const progress = this.known.get(key);
		return progress !== undefined && !progress.baseline;
	}

	private readingOf(session: Session, key: string, agencyRef: string): AgencyReading {
		const source: InventorySource = {
			...this.requestsTo(new Agency(session, agencyRef)),
			mayAsk: () => !this.hopeless && Date.now() < this.limits.deadline && this.basket.hasRoom(),
			deliver: (changes) => {
				if (changes.length === 0) return;
				this.known.set(key, reading.progress);
				const { begunAt } = reading.progress;
				for (const change of changes)
					this.basket.add({ ...change, agency: key, agencyRef, begunAt });
			},
		};
		const reading = new AgencyReading(this.termsOf(key), source, this.known.get(key));
		return reading;
	}

	private requestsTo(agency: Agency): Pick<InventorySource, 'page' | 'records'> {
		const { limits } = this;
		const { query } = this.occasion.settings;
		return {
			page: async (pass) =>
				await beforeDeadline(
					limits,
					async (over) =>
						await agency
							.endingWith(over)
							.pageOf('filter', { ...query, ...listQuery(pass) }, pass.next),
				),
			records: async (batches) => {
				const records = await beforeDeadline(
					limits,
					async (over) => await fetchBatches(agency.endingWith(over), batches),
				);
				if (!(records instanceof ServiceError)) return records;
				return new Map(batches.flat().map((id) => [id, records]));
			},
		};
	}

	private termsOf(key: string): ReadingTerms {
		const { settings, memory, isActivation } = this.occasion;
		const { events: wanted, statuses, query, startFrom, lookBackMs } = settings;
		const failed = memory.failures.failureOf(key);
		return {
			clock: memory.clock,
			startedAt: this.startedAt,
			isActivation,
			startFrom,
			lookBackMs,
			scope: scopeOf(query),
			chosen: (events, { status }) =>
				statuses?.includes(status) === false ? [] : events.filter((each) => wanted.includes(each)),
			openOf: (id) => this.basket.openOf(key, id),
			holds: this.basket.holds,
			isOneByOne: failed !== undefined && isOfOne(failed),
		};
	}

	private noteFailure(failure: ServiceError): void {
		const isOfToken = failure.details.requestKind === 'token';
		if (isOfToken || failure.kind === 'credential') this.hopeless ??= failure;
		// A service that is busy or out of reach is not pressed for the other agencies.
		if (failure.isTransient) this.session?.stopRepeating();
	}

	private tellOfBaseline({ key, title, reading: { progress, isAnswered } }: AskedAgency): void {
		const { context, memory, onBaseline } = this.occasion;
		const { baseline, known } = progress;
		if (!baseline) {
			context.logger.info(
				`${title}: all ${known.size} have been read. From now on, each change is found.`,
			);
			onBaseline();
		} else if (isAnswered && memory.mayLog(`baseline ${key}`)) {
			context.logger.info(
				`${title}: ${known.size} have been read so far. Each property has to be read once, which takes several polls. Until then, only changes to those already read are found.`,
			);
		}
	}
}

export function agencyRefsOf(
	{ agencyRefs }: Settings,
	credentials: ICredentialDataDecryptedObject,
): string[] {
	return agencyRefs.length > 0 ? agencyRefs : [agencyRefOf(credentials)];
}

/** What is asked for beside the filters. */
export function listQuery({ list, from }: Pass): IDataObject {
	const by = list === 'created' ? 'created' : 'modified';
	return {
		archived: String(list === 'archived'),
		...(from !== undefined && { [`${by}-from`]: from }),
	};
}

async function fetchBatches(agency: Agency, batches: string[][]): Promise<FetchedProperties> {
	const fetched = await mapConcurrently(
		batches,
		MOST_REQUESTS_AT_ONCE,
		async (batch, failed) => await fetchProperties(agency.endingWith(failed), batch),
	);
	return new Map(fetched.flatMap((records) => [...records]));
}
