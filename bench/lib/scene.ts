import {
	chain,
	isFinished,
	until,
	webhook,
	type Execution,
	type N8n,
	type NodeInput,
	type StoredWorkflow,
} from '../../test/lab/n8n';
import { withN8n } from '../../test/lab/n8n/withN8n';
import type { Sandbox } from '../../test/lab/sandbox';
import { Failure } from '../../test/lab/failure';
import { sum, type Runs } from './figures';
import { timed } from './measure';
import { linked, type Link } from './nodes';
import { say } from './result';

const STORING_DEADLINE_MS = 60_000;

/** The APIs that are measured. */
export type Integration = 'leads' | 'inventory';

/** What a node has to put out in all its runs together. */
export interface Expected {
	node: string;
	items: number;
}

export interface Run {
	/** Wall time, from the call of the webhook to its answer. */
	ms: number;
	/** Requests to the service's data. */
	requests: number;
	tokens: number;
	/** n8n's peak memory until the execution was stored. */
	peakMb: number;
	execution: Execution;
}

/** A real n8n with the package installed, and the sandbox service: where a case is played. */
export class Scene {
	private clients = 0;

	private constructor(
		readonly n8n: N8n,
		readonly sandbox: Sandbox,
	) {}

	/**
	 * @param env settings of n8n, over those of the lab
	 * @param seed of the sandbox's data; the same each time unless it is said
	 */
	static async play<T>(
		play: (scene: Scene) => Promise<T>,
		env: Record<string, string> = {},
		seed?: number,
	): Promise<T> {
		return await withN8n(async ({ n8n, sandbox }) => await play(new Scene(n8n, sandbox)), {
			n8n: { env },
			sandbox: { seed },
		});
	}

	/** A client without a token yet. */
	addClient(integration: Integration, branches: string[] = []) {
		const clientId = `bench-${++this.clients}`;
		const clientSecret = `secret of ${clientId}`;
		return this.sandbox.addClient({ integration, clientId, clientSecret, branches });
	}

	/**
	 * An active workflow that a webhook starts.
	 *
	 * @param links in place of a plain chain behind the webhook, whose name is “Webhook”
	 */
	async workflow(name: string, nodes: NodeInput[], links?: Link[]): Promise<StoredWorkflow> {
		const plain = chain(name, webhook(), ...nodes);
		const workflow = await this.n8n.createWorkflow(links ? linked(plain, links) : plain);
		await this.n8n.activate(workflow);
		return workflow;
	}

	/** A run that has to succeed. */
	async run(workflow: StoredWorkflow, expected: Expected): Promise<Run> {
		this.sandbox.resetCounts();
		const { ms, result } = await timed(async () => await this.n8n.runByWebhook(workflow));
		const requests = this.sandbox.counts.dataRequests;
		const tokens = tokensIn(this.sandbox);
		await this.stored(workflow);
		// Before the execution is read: n8n takes memory for that as well.
		const peakMb = this.n8n.peakMemory() / 1e6;
		const execution = await result.execution();
		assertComplete(workflow, execution, expected);
		return { ms, requests, tokens, peakMb, execution };
	}

	/** Waits until n8n has stored the executions of a workflow, without a look at their data. */
	private async stored(workflow: StoredWorkflow): Promise<void> {
		await until('the execution to be stored', STORING_DEADLINE_MS, async () => {
			const executions = await this.n8n.listExecutions(workflow);
			return executions.every(isFinished) || undefined;
		});
	}
}

/** The tokens that a service has issued since its counts were reset. */
export function tokensIn({ counts }: Sandbox): number {
	return sum(Object.values(counts.tokens));
}

function assertComplete(
	{ name }: StoredWorkflow,
	execution: Execution,
	{ node, items }: Expected,
): void {
	const found = sum(execution.runs(node).map(({ data }) => data?.main?.[0]?.length ?? 0));
	if (execution.status === 'success' && found === items) return;
	throw new Failure(
		`“${name}” ended as ${execution.status}, with ${found} of ${items} items from ${node}.`,
	);
}

/** Each variant in turn, round after round, so that whatever else the machine does meets all of them. */
export async function inTurn<T>(
	rounds: number,
	variants: Record<string, (round: number) => Promise<T>>,
): Promise<Runs<T>> {
	const runs: Runs<T> = new Map(Object.keys(variants).map((name) => [name, []]));
	for (let round = 1; round <= rounds; round++) {
		for (const [name, variant] of Object.entries(variants)) {
			say(`round ${round} of ${rounds}: ${name}`);
			runs.get(name)?.push(await variant(round));
		}
	}
	return runs;
}
