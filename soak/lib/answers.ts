import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';

import type { Sandbox } from '../../test/lab/sandbox';
import type { StoredLead } from '../../test/lab/sandbox/leads';
import { LEADS_PATH } from './plan';

/** An answer to a request for leads. */
interface Answer {
	/** The branch that it was asked for; null: all leads. */
	branch: string | null;
	/** The ids of the leads in it; none if a fault took the place of the work. */
	ids: string[];
	/** When the service had sent it to its end, in epoch milliseconds. */
	sentAt: number;
	/** Whether no fault spoilt it. */
	isWhole: boolean;
}

/** Which answer of the sandbox held which leads, and whether it was sent whole. Emits `news` for a lead that was not sent before. */
export class AnswerLog extends EventEmitter {
	/** Whole ones only, oldest first. */
	private readonly whole: Answer[] = [];
	/** What has been in a whole answer to either kind of request. */
	private readonly answered = { all: new Set<string>(), byBranch: new Set<string>() };
	private readonly current = new AsyncLocalStorage<Answer>();

	constructor(sandbox: Sandbox) {
		super();
		this.watchExchange(sandbox);
		this.watchFaults(sandbox);
		this.watchLeads(sandbox);
	}

	private watchExchange({ exchange }: Sandbox): void {
		const handle = exchange.handle.bind(exchange);
		exchange.handle = async (call, response) => {
			if (!LEADS_PATH.test(call.path)) return await handle(call, response);
			const branch = call.query.get('branch-id');
			const answer: Answer = { branch, ids: [], sentAt: NaN, isWhole: true };
			response.once('finish', () => this.sent(answer));
			return await this.current.run(answer, async () => await handle(call, response));
		};
	}

	private watchFaults({ faults }: Sandbox): void {
		const plan = faults.plan.bind(faults);
		faults.plan = (target) => {
			const planned = plan(target);
			const answer = this.current.getStore();
			if (answer && planned.fault) answer.isWhole = false;
			return planned;
		};
	}

	private watchLeads({ leads }: Sandbox): void {
		const between = leads.between.bind(leads);
		leads.between = (kind, from, to) => {
			const found = between(kind, from, to);
			const answer = this.current.getStore();
			if (answer) answer.ids.push(...found.filter(isIn(answer)).map(idOf));
			return found;
		};
	}

	private sent(answer: Answer): void {
		if (!answer.isWhole) return;
		answer.sentAt = Date.now();
		this.whole.push(answer);
		const answered = answer.branch === null ? this.answered.all : this.answered.byBranch;
		const isNews = answer.ids.some((id) => !answered.has(id));
		for (const id of answer.ids) answered.add(id);
		if (isNews) this.emit('news');
	}

	/**
	 * When the first answer that brought a lead to n8n was sent, in epoch milliseconds.
	 *
	 * @param byBranch whether to a workflow that asks for branches, or to one that asks for all leads
	 */
	firstSentAt(id: string, byBranch: boolean): number | undefined {
		const first = this.whole.find(
			({ ids, branch }) => byBranch === (branch !== null) && ids.includes(id),
		);
		return first?.sentAt;
	}
}

function isIn({ branch }: Answer): (lead: StoredLead) => boolean {
	return ({ owner }) => branch === null || owner.branchId === branch;
}

function idOf({ text }: StoredLead): string {
	const { id } = JSON.parse(text) as { id: unknown };
	return String(id);
}
