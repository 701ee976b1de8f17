import { createHash } from 'node:crypto';

import mapValues from 'lodash/mapValues';
import pick from 'lodash/pick';
import type { IDataObject } from 'n8n-workflow';

import type { ServiceClock } from '../../service/basics/clock';
import { isoSeconds } from '../../service/basics/times';
import { agencyKey } from '../../service/inventory/agencyRef';
import { CLOCK_DOUBT_MS, PUBLISHED_WITHIN_MS } from '../common/polling/host';
import type { StoredRuns } from '../common/runs/queue';
import { readStoredRuns } from '../common/runs/queue';
import {
	damaged,
	ofAnotherVersion,
	storedObject,
	storedText,
	storedTime,
} from '../common/storedValues';
import type { KnownProperty } from './known';
import { KnownProperties, readKnownProperty, writeProperty } from './known';

/**
 * The service is asked for current and archived properties by themselves: what it lists without being told which is not stated. A
 * property that was never modified has no time of that: new ones are asked for by when they were created.
 */
export const LISTS = ['current', 'archived', 'created'] as const;

export type ListName = (typeof LISTS)[number];

/** Reads lists one after the other, page by page, in as many polls as that takes. */
export interface Pass {
	list: ListName;
	/** The page to ask for; unset for the first one. */
	next?: string;
	/** When it began, by the service (UTC in whole seconds); unset until the service has answered. */
	begunAt?: string;
	/** Only what was modified or created from then on is asked for (UTC in whole seconds). */
	from?: string;
	/** A list of several pages brought something new: it may have moved while it was read, so it is read again. */
	isToRepeat?: boolean;
	/** A record could not be read, or has to wait: the same is asked for again. */
	isUnread?: boolean;
}

export type PassName = 'changes' | 'baseline';

/** How far the polls of one agency came. All times are the service's (epoch ms). */
export interface AgencyProgress {
	/** Tells for which filters its lists were read. */
	scope: string;
	/** When its first poll was. The changes of its properties are counted from then on. */
	begunAt: number;
	/** What was created from then on is new. */
	start: number;
	/** What was modified or created until then was read, but for what appears late. */
	watermark: number;
	/** The pass for what was modified since, while it is under way. */
	changes?: Pass;
	/** The pass for what each property was at the start, until it is whole. */
	baseline?: Pass;
	/** The properties as they were delivered, or as they were at the start. */
	known: KnownProperties;
	/** What the runs of changes were started with that n8n may have or not: the process that started them is gone. */
	started: Map<string, KnownProperty>;
}

/** The progress of a node; nodes/README.md explains what is stored. */
export interface Progress {
	/** How many polls have succeeded. */
	polls: number;
	/** By the mark of the agency. */
	agencies: Map<string, AgencyProgress>;
	/** Only if each change has a run of its own. */
	runs?: StoredRuns;
}

/** The values of “Start From”. */
export const INVENTORY_STARTS = ['activation', 'lookBack'] as const;

export type StartFrom = (typeof INVENTORY_STARTS)[number];

/** Stands for an AgencyRef in what is stored, where more people may read than know it. */
export function agencyMark(agencyRef: string): string {
	return shortMark(agencyKey(agencyRef));
}

/** Tells filters apart. */
export function scopeOf(query: object): string {
	return shortMark(JSON.stringify(Object.entries(query).sort()));
}

function shortMark(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

interface Beginning {
	scope: string;
	clock: ServiceClock;
	startFrom: StartFrom;
	/** Whether a person is publishing the workflow. */
	isActivation: boolean;
	lookBackMs: number;
	/** When the poll began, by the host's clock (epoch ms). */
	startedAt: number;
}

/** A poll that knows of no activation comes after a crash, or with an agency that was added: it reaches back. */
export function beginProgress(beginning: Beginning): AgencyProgress {
	const { scope, clock, startFrom, isActivation, lookBackMs, startedAt } = beginning;
	const begunAt = clock.told(startedAt);
	const isFromNow = startFrom === 'activation' && isActivation;
	const reachMs = isFromNow ? PUBLISHED_WITHIN_MS : lookBackMs;
	const start = begunAt - reachMs - (clock.isKnown ? 0 : CLOCK_DOUBT_MS);
	return {
		...{ scope, begunAt, start, watermark: start, baseline: { list: 'current' } },
		...{ known: new KnownProperties(), started: new Map() },
	};
}

/** Other filters bring properties of which nothing is known. Those that are known stay so, and what was created since is still new. */
export function resetScope(progress: AgencyProgress, scope: string): void {
	const { watermark } = progress;
	Object.assign(progress, { scope, start: watermark, baseline: { list: 'current' } });
	delete progress.changes;
}

/** What was modified from a time on is asked for again. */
export function rewind(progress: AgencyProgress, time: number): void {
	progress.watermark = Math.min(progress.watermark, time);
	if (progress.changes) progress.changes = { ...progress.changes, isUnread: true };
}

export function copyOf(progress: AgencyProgress): AgencyProgress {
	const { changes, baseline, known, started } = progress;
	return {
		...progress,
		...(changes && { changes: { ...changes } }),
		...(baseline && { baseline: { ...baseline } }),
		known: new KnownProperties(known),
		started: new Map(started),
	};
}

export function copiesOf(agencies: Progress['agencies']): Progress['agencies'] {
	return new Map([...agencies].map(([key, agency]) => [key, copyOf(agency)]));
}

/** No more runs are started for these: those that were started count as delivered. */
export function leaveStarted({ started, known }: AgencyProgress): void {
	for (const [id, property] of started) known.set(id, property);
	started.clear();
}

const STORED_VERSION = 1;

export const INVENTORY_FORMAT = {
	/** @throws UnreadableProgress rather than to start over, which would lose or repeat changes */
	read({ version, polls, agencies, runs }: IDataObject): Progress {
		if (version === undefined) return { polls: 0, agencies: new Map() };
		if (version !== STORED_VERSION) throw ofAnotherVersion(version);
		if (typeof polls !== 'number') throw damaged(polls);
		const stored = mapValues(storedObject(agencies), (each) => readAgency(storedObject(each)));
		return {
			polls,
			agencies: new Map(Object.entries(stored)),
			...(runs !== undefined && { runs: readStoredRuns(runs) }),
		};
	},

	write(stored: IDataObject, { polls, agencies, runs }: Progress): void {
		const written = mapValues(Object.fromEntries(agencies), writeAgency);
		Object.assign(stored, { version: STORED_VERSION, polls, agencies: written });
		if (runs) stored.runs = { ...runs };
		else delete stored.runs;
	},
};

function readAgency(stored: IDataObject): AgencyProgress {
	const { scope, begunAt, start, watermark, changes, baseline, known, started = {} } = stored;
	const entries = Object.entries(storedObject(started));
	return {
		scope: storedText(scope),
		begunAt: storedTime(begunAt),
		start: storedTime(start),
		watermark: storedTime(watermark),
		...(changes !== undefined && { changes: readPass(changes) }),
		...(baseline !== undefined && { baseline: readPass(baseline) }),
		known: new KnownProperties(storedText(known)),
		started: new Map(entries.map(([id, text]) => [id, readKnownProperty(storedText(text))])),
	};
}

function writeAgency(progress: AgencyProgress): IDataObject {
	const { scope, begunAt, start, watermark, changes, baseline, known, started } = progress;
	const entries = [...started].map(([id, property]) => [id, writeProperty(property)] as const);
	return {
		scope,
		begunAt: isoSeconds(begunAt),
		start: isoSeconds(start),
		watermark: isoSeconds(watermark),
		...(changes && { changes: { ...changes } }),
		...(baseline && { baseline: { ...baseline } }),
		known: known.toString(),
		...(started.size > 0 && { started: Object.fromEntries(entries) }),
	};
}

function readPass(stored: unknown): Pass {
	const { list, isToRepeat, isUnread, ...texts } = storedObject(stored);
	const name = LISTS.find((each) => each === list);
	if (!name) throw damaged(list);
	return {
		list: name,
		...mapValues(pick(texts, ['next', 'begunAt', 'from']), storedText),
		...(isToRepeat === true && { isToRepeat }),
		...(isUnread === true && { isUnread }),
	};
}
