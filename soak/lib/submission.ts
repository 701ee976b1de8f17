import { HOUR_MS, isoSeconds, MINUTE_MS, SECOND_MS } from '../../service/basics/times';
import type { Sandbox } from '../../test/lab/sandbox';
import type { Course } from './course';
import { BRANCHES, type PlannedLead } from './plan';

const EARLIER_LEADS = 20;

/** The leads of a run, and which of them the service has received so far. */
export class Submission {
	/** The ids of leads from before the activation. */
	readonly earlier: string[] = [];
	/** The ids of leads since then. */
	readonly submitted: string[] = [];

	constructor(
		private readonly course: Course,
		private readonly sandbox: Sandbox,
	) {}

	/** Leads of the last day, but for those minutes in which somebody may already have published. */
	submitEarlier(): void {
		const now = Date.now() - 2 * MINUTE_MS;
		for (let index = 0; index < EARLIER_LEADS; index++) {
			const id = `earlier-${index + 1}`;
			const receivedAt = now - (index * 23 * HOUR_MS) / EARLIER_LEADS;
			const kind = index % 2 === 0 ? 'applicant' : 'appraisal';
			const branchId = BRANCHES[index % 3 === 0 ? 0 : 1];
			const createdAt = isoSeconds(receivedAt);
			this.sandbox.addLead(kind, { id, createdAt }, { receivedAt, branchId });
			this.earlier.push(id);
		}
	}

	/** Each lead when the plan says. */
	async submitAll(leads: PlannedLead[]): Promise<void> {
		for (const lead of leads) {
			await this.course.waitUntil(lead.at);
			this.submit(lead);
		}
	}

	private submit({ id, kind, branchId, dating, shift }: PlannedLead): void {
		const receivedAt = Date.now();
		// Late, but not from before the activation: such a lead would not have to be delivered.
		const late = Math.max(receivedAt - shift, this.course.activatedAt + SECOND_MS);
		const createdAt = {
			now: isoSeconds(receivedAt),
			late: isoSeconds(Math.min(late, receivedAt)),
			minutes: isoMinutes(receivedAt),
			unset: '0001-01-01T00:00Z',
			future: isoSeconds(receivedAt + shift),
		}[dating];
		this.sandbox.addLead(kind, { id, createdAt }, { receivedAt, branchId });
		this.submitted.push(id);
	}
}

function isoMinutes(epochMs: number): string {
	return `${new Date(epochMs).toISOString().slice(0, 16)}Z`;
}
