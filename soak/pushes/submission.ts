import { isoSeconds } from '../../service/basics/times';
import type { Sandbox } from '../../test/lab/sandbox';
import { leadBody } from '../../test/lab/sandbox/leadBodies';
import { Pushes } from '../../test/lab/sandbox/push/pushes';
import type { PushTarget } from '../../test/lab/sandbox/push/targets';
import { createRandom, seedOf } from '../../test/lab/sandbox/random';
import type { Course } from '../lib/course';
import { DAY_MS, type PlannedLead } from './plan';

const HOURS_24_MS = 24 * 3_600_000;

/** Leads of a run: what the service shows to polls, and what the operator pushes. */
export class Submission {
	readonly pushes = new Pushes();

	constructor(
		private readonly course: Course,
		private readonly sandbox: Sandbox,
		targets: PushTarget[],
	) {
		this.pushes.compression = HOURS_24_MS / DAY_MS;
		// n8n takes some tens of calls a second: those of a whole day must not keep it from starting.
		this.pushes.repeatEveryMinutes = 240;
		for (const target of targets) this.pushes.add(target);
	}

	/** Each lead in its ways, until each push was taken or given up. */
	async submitAll(leads: PlannedLead[]): Promise<void> {
		await Promise.all(leads.map(async (lead) => await this.submit(lead)));
		await this.pushes.settled();
	}

	private async submit(lead: PlannedLead): Promise<void> {
		const { at, kind, pushedAfter, copies, travel } = lead;
		await this.course.waitUntil(at);
		const body = this.bodyOf(lead);
		await Promise.all(
			pushedAfter.map(async (after) => {
				await this.course.waitUntil(at + after);
				this.pushes.announce(kind, body, { copies, ...travel });
			}),
		);
	}

	/** The lead as it is pushed; a poll gets the same. */
	private bodyOf({ id, kind, branchId, polledAfter }: PlannedLead): { id?: unknown } {
		const now = Date.now();
		const createdAt = isoSeconds(now);
		if (polledAfter === undefined) {
			return { ...leadBody(kind, createRandom(seedOf(id)), createdAt, { branchId }), id };
		}
		const options = { receivedAt: now + polledAfter, branchId };
		return this.sandbox.addLead(kind, { id, createdAt }, options);
	}
}
