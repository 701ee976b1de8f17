import { setTimeout as sleep } from 'node:timers/promises';
import { writeFileSync } from 'node:fs';

import { MINUTE_MS, SECOND_MS } from '../../service/basics/times';
import { everySeconds, HOSTS, until, type Host } from '../../test/lab/n8n';
import { stateOf } from '../../test/lab/n8n/database';
import { withN8n, type Both } from '../../test/lab/n8n/withN8n';
import type { LoggedRequest } from '../../test/lab/sandbox/journal';
import { AGENCY_REFS } from '../../test/lab/sandbox/inventory';
import type { Property } from '../../test/lab/sandbox/propertyData';
import { createFlow, TRIGGER, type Flow } from './flows';
import { deliveriesOf, type Delivery } from './ledger';

export interface LargeOptions {
	properties: number;
	hosts: Host[];
	/** The file to write all figures to. */
	json?: string;
}

interface PollCost {
	requests: number;
	/** From the first request to the last one, in milliseconds. */
	ms: number;
}

interface Figures {
	host: Host;
	/** The polls that read the baseline. */
	baseline: PollCost[];
	bytesPerProperty: number;
	restMb: number;
	peakMb: number;
	/** Records that were asked for once the baseline was whole, restarts included. */
	readLater: number;
	/** What must not be, a line for each. */
	findings: string[];
}

const [AGENCY] = AGENCY_REFS;
const POLL_EVERY_S = 15;
/** By then something has changed of late: Look Back, and the time that the baseline may take. */
const LATE_MS = 90 * MINUTE_MS;
const DEADLINE_MS = 20 * MINUTE_MS;
const MOST_BYTES = 60;
const MOST_READ_LATER = 100;
const WHOLE = /all \d+ have been read/;

/**
 * One large agency in each host mode: how many polls its baseline takes and what they cost; and whether a lower price is told once,
 * before and after a kill.
 *
 * @returns whether it is
 */
export async function soakLargeAgency({ properties, hosts, json }: LargeOptions): Promise<boolean> {
	const all: Figures[] = [];
	for (const host of hosts) {
		const work = async (both: Both) => await new LargeAgency(both, host).play(properties);
		const figures = await withN8n(work, { n8n: { env: HOSTS[host] } });
		for (const line of linesOf(figures)) console.log(line);
		all.push(figures);
	}
	if (json !== undefined) writeFileSync(json, `${JSON.stringify(all, null, '\t')}\n`);
	return all.every(({ findings }) => findings.length === 0);
}

class LargeAgency {
	private readonly expected: Array<Pick<Delivery, 'key' | 'previous'>> = [];

	constructor(
		private readonly both: Both,
		private readonly host: Host,
	) {}

	async play(count: number): Promise<Figures> {
		const { n8n, sandbox } = this.both;
		const properties = sandbox.inventory.fill(AGENCY, count);
		const flow = await createFlow(this.both, 'onePerPoll', {
			agencyRefs: [AGENCY],
			pollTimes: everySeconds(POLL_EVERY_S),
		});
		n8n.resetPeakMemory();
		const restMb = n8n.peakMemory() / 1e6;
		await n8n.activate(flow.workflow);
		await until('the whole baseline', DEADLINE_MS, async () => {
			await sleep(SECOND_MS);
			return WHOLE.test(n8n.logs()) ? true : undefined;
		});
		const baseline = pollsOf(this.requests);
		const peakMb = n8n.peakMemory() / 1e6;
		await this.polls(1);
		const state = await stateOf(n8n.userFolder, flow.workflow);
		const read = this.recordsAsked;

		this.lower(properties[0]);
		await this.delivered(flow);
		await this.polls(1);
		await n8n.kill9();
		this.lower(properties[0]);
		this.lower(properties.at(-1));
		await n8n.restart();
		await this.delivered(flow);
		await this.polls(3);
		const figures = {
			host: this.host,
			baseline,
			bytesPerProperty: state.length / count,
			restMb,
			peakMb,
			readLater: this.recordsAsked - read,
		};
		return { ...figures, findings: [...findingsOf(figures), ...(await this.oddDeliveries(flow))] };
	}

	private get requests(): LoggedRequest[] {
		return this.both.sandbox.requests.filter(({ path }) => path.startsWith('/inventory-api/'));
	}

	private get recordsAsked(): number {
		return this.requests.reduce(
			(count, { query }) => count + (query['inventory-id'] ?? []).length,
			0,
		);
	}

	private lower(property: Property | undefined): void {
		if (!property) throw new Error('There are too few properties');
		const { id, price } = property;
		this.expected.push({ key: `${AGENCY} ${id}`, previous: { price } });
		this.both.sandbox.inventory.change(AGENCY, id, { price: price - 10 });
	}

	private async polls(count: number): Promise<void> {
		await sleep(count * POLL_EVERY_S * SECOND_MS);
	}

	private async deliveries({ workflow }: Flow): Promise<Delivery[]> {
		return deliveriesOf(await this.both.n8n.executions(workflow), TRIGGER);
	}

	private async delivered(flow: Flow): Promise<void> {
		await until(`${this.expected.length} deliveries`, DEADLINE_MS, async () => {
			await sleep(SECOND_MS);
			return (await this.deliveries(flow)).length >= this.expected.length ? true : undefined;
		});
	}

	private async oddDeliveries(flow: Flow): Promise<string[]> {
		const shown = ({ key, previous }: Pick<Delivery, 'key' | 'previous'>) =>
			JSON.stringify([key, previous]);
		const told = (await this.deliveries(flow)).map(shown).sort().join();
		const expected = this.expected.map(shown).sort().join();
		return told === expected ? [] : [`told ${told} in place of ${expected}`];
	}
}

function pollsOf(requests: LoggedRequest[]): PollCost[] {
	const polls: PollCost[] = [];
	let begunAt = 0;
	for (const request of requests) {
		const last = polls.at(-1);
		// The activation asks for the baseline before it asks for what has changed.
		const isNext = beginsPoll(request) && last?.requests !== 1;
		const poll = isNext ? undefined : last;
		if (poll) Object.assign(poll, { requests: poll.requests + 1, ms: request.at - begunAt });
		else polls.push({ requests: 1, ms: 0 });
		if (!poll) begunAt = request.at;
	}
	return polls;
}

/** A poll asks first for what has changed of late. */
function beginsPoll({ at, query }: LoggedRequest): boolean {
	const [from = ''] = query['modified-from'] ?? [];
	const isLate = at - Date.parse(from) < LATE_MS && query['modified-to'] === undefined;
	return isLate && query.archived?.[0] === 'false';
}

function findingsOf({ bytesPerProperty, readLater }: Omit<Figures, 'findings'>): string[] {
	return [
		...(bytesPerProperty > MOST_BYTES ? [`${bytesPerProperty} bytes for each property`] : []),
		...(readLater > MOST_READ_LATER ? [`${readLater} records were read again`] : []),
	];
}

function linesOf({ host, baseline, findings, ...figures }: Figures): string[] {
	const most = (name: keyof PollCost) => Math.max(...baseline.map((poll) => poll[name]));
	const { bytesPerProperty, restMb, peakMb, readLater } = figures;
	return [
		`${host}: the baseline took ${baseline.length} polls of ${most('requests')} requests and ${most('ms')} ms at most; ` +
			`${bytesPerProperty.toFixed(1)} bytes for each property; memory ${restMb.toFixed(0)} MB before, ${peakMb.toFixed(0)} MB at most; ` +
			`${readLater} records read later: ${findings.length === 0 ? 'passed' : 'FAILED'}`,
		...findings.map((finding) => `${host}: ${finding}`),
	];
}
