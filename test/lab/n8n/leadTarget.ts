import { isRecord } from '../values';
import { HttpReceiver } from './httpReceiver';
import { postTo } from './stage/nodes';
import { until } from './waiting';
import type { NodeInput } from './workflow';

const ARRIVAL_DEADLINE_MS = 60_000;

/** A system that workflows post each lead to: it can refuse leads, and keep them waiting for its answer. */
export class LeadTarget {
	/** The `attempt` of each try of a lead, by its id. */
	private readonly tries = new Map<string, unknown[]>();
	private readonly refusals = new Map<string, number>();
	private readonly held = new Map<string, Array<() => void>>();

	private constructor(private readonly receiver: HttpReceiver) {
		receiver.answer = async ({ body: { lead } }) => await this.take(isRecord(lead) ? lead : {});
	}

	static async start(): Promise<LeadTarget> {
		return new LeadTarget(await HttpReceiver.start());
	}

	/** The node that posts leads here. */
	get node(): NodeInput {
		return postTo(this.receiver.url);
	}

	/** Refuses the first tries of a lead. */
	refuse(id: string, times: number): void {
		this.refusals.set(id, times);
	}

	/** Answers no try of these leads until they are released. */
	hold(...ids: string[]): void {
		for (const id of ids) this.held.set(id, []);
	}

	release(...ids: string[]): void {
		for (const id of ids) {
			for (const answer of this.held.get(id) ?? []) answer();
			this.held.delete(id);
		}
	}

	attempts(id: string): unknown[] {
		return this.tries.get(id) ?? [];
	}

	/** Waits until each lead has come. */
	async arrival(...ids: string[]): Promise<void> {
		const isThere = () => ids.every((id) => this.tries.has(id));
		await until(`${ids.join(', ')} to be posted`, ARRIVAL_DEADLINE_MS, isThere);
	}

	async stop(): Promise<void> {
		await this.receiver.stop();
	}

	private async take({ id, attempt }: Record<string, unknown>): Promise<number> {
		if (typeof id !== 'string') return 400;
		const tries = [...this.attempts(id), attempt];
		this.tries.set(id, tries);
		const held = this.held.get(id);
		if (held) await new Promise<void>((resolve) => held.push(resolve));
		return tries.length <= (this.refusals.get(id) ?? 0) ? 503 : 200;
	}
}
