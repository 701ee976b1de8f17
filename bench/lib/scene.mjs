// @ts-check
// A real n8n with the package installed, and the sandbox service: where a case is played.
import { createRequire } from 'node:module';

import { Failure } from '../../scripts/lib/run.mjs';
import { timed } from './measure.mjs';
import { linked } from './subjects.mjs';

const { Sandbox: Service } = createRequire(import.meta.url)('../../test/lab/sandbox');

const STORING_DEADLINE_MS = 60_000;

/**
 * @typedef {import('../../test/lab/n8n/index.js')} Harness
 * @typedef {import('./subjects.mjs').N8n} N8n
 * @typedef {import('./subjects.mjs').NodeInput} NodeInput
 * @typedef {import('./subjects.mjs').Sandbox} Sandbox
 * @typedef {import('./subjects.mjs').Client} Client
 * @typedef {import('./subjects.mjs').Link} Link
 * @typedef {import('../../test/lab/n8n/index.js').StoredWorkflow} StoredWorkflow
 * @typedef {import('../../test/lab/n8n/index.js').Execution} Execution
 *
 * @typedef {object} Bench what every case is given
 * @property {Harness} harness
 * @property {boolean} quick
 * @property {number} rounds
 * @property {(text: string) => void} say
 *
 * @typedef {object} Run
 * @property {number} ms wall time, from the call of the webhook to its answer
 * @property {number} requests to the service's data
 * @property {number} tokens
 * @property {number} peakMb n8n's peak memory until the execution was stored
 * @property {Execution} execution
 */

export class Scene {
	/**
	 * @param {Harness} harness
	 * @param {N8n} n8n
	 * @param {Sandbox} sandbox
	 */
	constructor(harness, n8n, sandbox) {
		this.harness = harness;
		this.n8n = n8n;
		this.sandbox = sandbox;
		this.clients = 0;
	}

	/**
	 * @template T
	 * @param {Harness} harness
	 * @param {(scene: Scene) => Promise<T>} play
	 * @returns {Promise<T>}
	 */
	static async play(harness, play) {
		/** @type {Sandbox} */
		const sandbox = await Service.start();
		try {
			const n8n = await harness.N8n.start();
			try {
				return await play(new Scene(harness, n8n, sandbox));
			} finally {
				await n8n.stop();
			}
		} finally {
			await sandbox.stop();
		}
	}

	/**
	 * A client without a token yet.
	 *
	 * @param {'leads' | 'inventory'} integration
	 * @param {string[]} [branches]
	 * @returns {Client}
	 */
	client(integration, branches = []) {
		const clientId = `bench-${++this.clients}`;
		const clientSecret = `secret of ${clientId}`;
		return this.sandbox.addClient({ integration, clientId, clientSecret, branches });
	}

	/**
	 * An active workflow that a webhook starts.
	 *
	 * @param {string} name
	 * @param {NodeInput[]} nodes
	 * @param {Link[]} [links] in place of a plain chain behind the webhook, whose name is “Webhook”
	 * @returns {Promise<StoredWorkflow>}
	 */
	async workflow(name, nodes, links) {
		const { chain, webhook } = this.harness;
		const plain = chain(name, webhook(), ...nodes);
		const workflow = await this.n8n.createWorkflow(links ? linked(plain, links) : plain);
		await this.n8n.activate(workflow);
		return workflow;
	}

	/**
	 * A run that has to succeed.
	 *
	 * @param {StoredWorkflow} workflow
	 * @param {{ node: string, items: number }} expected what a node has to put out in all its runs together
	 * @returns {Promise<Run>}
	 */
	async run(workflow, expected) {
		this.sandbox.resetCounts();
		const { ms, result } = await timed(async () => await this.n8n.runByWebhook(workflow));
		const { dataRequests, tokens } = this.sandbox.counts;
		await this.#stored(workflow);
		// Before the execution is read: n8n takes memory for that as well.
		const peakMb = this.n8n.peakMemory() / 1e6;
		const execution = await result.execution();
		const items = execution
			.runs(expected.node)
			.reduce((count, { data }) => count + (data?.main?.[0]?.length ?? 0), 0);
		if (execution.status !== 'success' || items !== expected.items)
			throw new Failure(
				`“${workflow.name}” ended as ${execution.status}, with ${items} of ${expected.items} items from ${expected.node}.`,
			);
		return { ms, requests: dataRequests, tokens: total(tokens), peakMb, execution };
	}

	/**
	 * Waits until n8n has stored the executions of a workflow, without a look at their data.
	 * @param {StoredWorkflow} workflow
	 */
	async #stored(workflow) {
		const { isFinished, until } = this.harness;
		await until('the execution to be stored', STORING_DEADLINE_MS, async () => {
			const executions = await this.n8n.listExecutions(workflow);
			return executions.every(isFinished) || undefined;
		});
	}
}

/** @param {Record<string, number>} counts */
export const total = (counts) => Object.values(counts).reduce((all, count) => all + count, 0);

/**
 * Each variant in turn, round after round, so that whatever else the machine does meets all of them.
 *
 * @template T
 * @param {Bench} bench
 * @param {Record<string, () => Promise<T>>} variants by the name that the reader sees
 * @returns {Promise<Map<string, T[]>>}
 */
export async function inTurn({ rounds, say }, variants) {
	/** @type {Map<string, T[]>} */
	const runs = new Map(Object.keys(variants).map((name) => [name, []]));
	for (let round = 1; round <= rounds; round++) {
		for (const [name, variant] of Object.entries(variants)) {
			say(`round ${round} of ${rounds}: ${name}`);
			runs.get(name)?.push(await variant());
		}
	}
	return runs;
}
