import { jest } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { passProcessTime } from '../processTime';
import type { Settings } from '../../../nodes/AgentLeadsTrigger/settings';
import type { LeadType } from '../../../service/leads/leads';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** What a poll ends with at the latest, whatever it meets. */
const MOST_REQUESTS = 1_000;

/** What a request names; without times the service takes its own last 24 hours. */
interface AskedWindow {
	from?: number;
	to?: number;
}

const LONG = 'x'.repeat(80);

/** How the service reads the times of a request; nobody has said. */
export type Manner =
	/** By when a lead was submitted. */
	| 'tame'
	/** By when it came to hold a lead. */
	| 'arrival'
	/** Not at all. */
	| 'ignoring';

/** How the service comes to hold a lead. */
export interface Arrival {
	leadType: LeadType;
	/** Several branches may share it. */
	branches: string[];
	/** What its `createdAt` looks like. */
	form: 'seconds' | 'minutes' | 'unset' | 'future';
	identity: 'text' | 'number' | 'long' | 'none';
	/** How long after its submission the service shows it; how far a future date is ahead. */
	lagMs: number;
	/** How long from now it is shown. */
	inMs: number;
	/** Whether the service itself keeps no more of the time than it writes. */
	isCut: boolean;
	/** How many of them come in the same moment. */
	count: number;
}

/** A lead that a branch has for itself, as soon as it is submitted. */
export const A_LEAD: Arrival = {
	leadType: 'applicant',
	branches: ['101'],
	form: 'seconds',
	identity: 'text',
	lagMs: 0,
	inMs: 0,
	isCut: true,
	count: 1,
};

export interface ModelLead {
	name: string;
	leadType: LeadType;
	branches: string[];
	submitted: number;
	/** Where the service places it in time. */
	placed: number;
	shownFrom: number;
	hasOwnTime: boolean;
	fields: IDataObject;
}

/** What goes wrong with a request: an answer's status, no answer, or an error of n8n's own. */
export type Mishap = 500 | 429 | 400 | 'lost' | 'crash';

export interface Trouble {
	/** By the number of the request within the poll; with a 429 the service may ask to wait. */
	mishaps: ReadonlyArray<{ request: number; mishap: Mishap; retryAfter?: number }>;
	/** The time on the wire, before the service looks and after it. */
	beforeMs: number;
	afterMs: number;
}

export const NO_TROUBLE: Trouble = { mishaps: [], beforeMs: 0, afterMs: 0 };

type Target = Settings['targets'][number];

export function targetOf(leadType: LeadType, branch?: string): Target {
	if (branch === undefined) return { key: leadType, leadType };
	const key = `${leadType} · branch ${branch}`;
	return { key, leadType, filter: { by: 'branch', id: branch } };
}

/** The leads API with a clock of its own, and the host's clock beside it. */
export class ModelService {
	/** By the service's clock. */
	now = Date.UTC(2026, 2, 28, 10, 7, 31, 250);

	/** How far the host's clock was at most from the service's, either way. */
	ahead = 0;
	behind = 0;

	readonly leads: ModelLead[] = [];

	/** Requests of the poll under way, the keys of its targets, and of those that met a mishap. */
	requests = 0;
	asked = new Set<string>();
	troubled = new Set<string>();

	private skew = 0;
	private trouble = NO_TROUBLE;

	constructor(
		readonly hasDate: boolean,
		skew: number,
		private random: number,
		readonly manner: Manner = 'tame',
	) {
		this.setSkew(skew);
		// What a service has refused before is forgotten by then.
		passProcessTime(10 * MINUTE);
	}

	setSkew(ms: number): void {
		this.skew = ms;
		this.ahead = Math.max(this.ahead, ms);
		this.behind = Math.max(this.behind, -ms);
		this.pass(0);
	}

	pass(ms: number): void {
		this.now += ms;
		passProcessTime(ms);
		jest.setSystemTime(this.now + this.skew);
	}

	beginPoll(trouble: Trouble): void {
		this.trouble = trouble;
		this.requests = 0;
		this.asked.clear();
		this.troubled.clear();
	}

	arrive(arrival: Arrival): void {
		const { leadType, branches, form, lagMs, inMs, isCut, count } = arrival;
		const shownFrom = this.now + inMs;
		const hasOwnTime = form === 'seconds' || form === 'minutes';
		const submitted = hasOwnTime ? shownFrom - lagMs : shownFrom;
		const unit = form === 'minutes' ? MINUTE : SECOND;
		const ownPlace = isCut && hasOwnTime ? Math.floor(submitted / unit) * unit : submitted;
		const placed = this.manner === 'arrival' ? shownFrom : ownPlace;
		for (let copy = 0; copy < count; copy++) {
			const name = `lead ${this.leads.length}`;
			const fields = {
				...this.identify(arrival.identity),
				createdAt: textOf(form, form === 'future' ? shownFrom + MINUTE + lagMs : submitted),
				message: name,
				contact: { firstName: 'Ada', lastName: 'Fern' },
				sourceBranchId: branches[0],
			};
			const times = { submitted, placed, shownFrom };
			this.leads.push({ name, leadType, branches, ...times, hasOwnTime, fields });
		}
	}

	/** Answers a request of the poll under way; time passes over it. */
	answer(target: Target, window: AskedWindow) {
		const number = this.requests++;
		if (number > MOST_REQUESTS) throw new Error('The poll asks without end');
		this.pass(this.trouble.beforeMs);
		const leads = this.shown(target, window);
		const date = this.hasDate ? new Date(this.now).toUTCString() : undefined;
		this.pass(this.trouble.afterMs);
		const { mishap, retryAfter } =
			this.trouble.mishaps.find(({ request }) => request === number) ?? {};
		this.asked.add(target.key);
		if (mishap) this.troubled.add(target.key);
		return { leads, date, mishap, retryAfter };
	}

	private shown(
		{ leadType, filter }: Target,
		{ from = this.now - DAY, to = this.now }: AskedWindow,
	) {
		return this.leads
			.filter((lead) => lead.leadType === leadType)
			.filter(({ branches }) => !filter || branches.includes(filter.id))
			.filter(({ shownFrom, placed }) => shownFrom <= this.now && placed >= this.now - 30 * DAY)
			.filter(({ placed }) => this.manner === 'ignoring' || (placed >= from && placed <= to))
			.map(({ fields }) => ({ fields, rank: this.chance() }))
			.sort((a, b) => a.rank - b.rank)
			.map(({ fields }) => this.shuffled(fields));
	}

	/** The same content in another order of fields, and as an object of its own. */
	private shuffled(fields: IDataObject): IDataObject {
		const entries = Object.entries(fields).map(([name, value]): [string, IDataObject[string]] => [
			name,
			name === 'contact' ? this.shuffled(value as IDataObject) : value,
		]);
		return Object.fromEntries(this.chance() < 0.5 ? entries : entries.reverse());
	}

	private identify(identity: Arrival['identity']): IDataObject {
		const number = this.leads.length;
		switch (identity) {
			case 'text':
				return { id: `id-${number}` };
			case 'number':
				return { id: number };
			case 'long':
				return { id: `${LONG}${number}` };
			case 'none':
				return number % 2 ? { id: '' } : {};
		}
	}

	/** Repeatable, so that a run can be made smaller. */
	private chance(): number {
		this.random = (Math.imul(this.random, 1_664_525) + 1_013_904_223) >>> 0;
		return this.random / 2 ** 32;
	}
}

/** Which of the model's leads it is. */
export function nameOf({ message }: IDataObject): string {
	if (typeof message !== 'string') throw new Error('A lead without its message');
	return message;
}

function textOf(form: Arrival['form'], time: number): string {
	if (form === 'unset') return '0001-01-01T00:00Z';
	return `${new Date(time).toISOString().slice(0, form === 'minutes' ? 16 : 19)}Z`;
}
