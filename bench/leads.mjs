// @ts-check
// 30,000 leads over 30 days in a real n8n: Agent Leads beside n8n's own HTTP Request and Split Out, in the same run.
import { createRequire } from 'node:module';

import { ensureN8n, ensureRoot } from '../scripts/ensure-install.mjs';
import { build } from '../scripts/build.mjs';
import { loadHarness } from '../scripts/lib/harness.mjs';
import { main } from '../scripts/lib/run.mjs';
import { pack } from '../scripts/pack.mjs';

const { Sandbox } = createRequire(import.meta.url)('../test/sandbox');

const LEADS = 30_000;
const ROUNDS = 5;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * @typedef {{ nodeMs: number, peakMb: number, restMb: number, requests: number }} Figures
 * @typedef {import('../test/e2e/harness/index.js').NodeInput} NodeInput
 */

await main(async () => {
	await ensureRoot();
	await ensureN8n();
	await build();
	await pack();
	const { N8n, chain, webhook } = await loadHarness();
	const sandbox = await Sandbox.start();
	// An hour from either end: nothing ages out while the rounds go on.
	const now = Date.now();
	sandbox.addLeads('applicant', LEADS, { from: now - 30 * DAY + HOUR, to: now - HOUR });

	/** @param {{ id: string, name: string }} credential @param {boolean} simplify @returns {NodeInput[]} */
	const agentLeads = (credential, simplify) => [
		{
			name: 'Agent Leads',
			type: 'n8n-nodes-agent-integration.agentLeads',
			parameters: {
				resource: 'applicantLead',
				operation: 'getAll',
				period: 'recent',
				recentAmount: 30,
				recentUnit: 'days',
				returnAll: true,
				simplify,
			},
			credentials: { agentLeadsApi: credential },
		},
	];

	/** @param {{ id: string, name: string }} credential @returns {NodeInput[]} */
	const httpRequest = (credential) => [
		{
			name: 'HTTP Request',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				url: `${sandbox.leadsUrl}/applicant-leads`,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'agentLeadsApi',
				sendQuery: true,
				queryParameters: {
					parameters: [
						{
							name: 'from-time',
							value:
								"={{ $now.minus({ days: 30 }).toUTC().toFormat(\"yyyy-MM-dd'T'HH:mm:ss'Z'\") }}",
						},
						{
							name: 'to-time',
							value: "={{ $now.toUTC().toFormat(\"yyyy-MM-dd'T'HH:mm:ss'Z'\") }}",
						},
					],
				},
			},
			credentials: { agentLeadsApi: credential },
		},
		{
			name: 'Split Out',
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'applicants', options: {} },
		},
	];

	/** @type {Record<string, (credential: { id: string, name: string }) => NodeInput[]>} */
	const variants = {
		'HTTP Request + Split Out': httpRequest,
		'Agent Leads, not simplified': (credential) => agentLeads(credential, false),
		'Agent Leads, simplified': (credential) => agentLeads(credential, true),
	};

	/**
	 * A fresh n8n each time: one that has held 30,000 leads does not give the memory back.
	 *
	 * @param {(credential: { id: string, name: string }) => NodeInput[]} nodesOf
	 * @returns {Promise<Figures>}
	 */
	async function measure(nodesOf) {
		const n8n = await N8n.start();
		try {
			const { clientId, clientSecret } = sandbox.leadsClient;
			const credential = await n8n.createCredential('agentLeadsApi', 'Agent Leads', {
				clientId,
				clientSecret,
				authUrl: sandbox.authUrl,
				leadsUrl: sandbox.leadsUrl,
			});
			const nodes = nodesOf(credential);
			const last = { name: 'Limit', type: 'n8n-nodes-base.limit', parameters: { maxItems: 1 } };
			const workflow = await n8n.createWorkflow(chain('30,000 leads', webhook(), ...nodes, last));
			await n8n.activate(workflow);
			n8n.resetPeakMemory();
			const restMb = n8n.peakMemory() / 1e6;
			sandbox.resetCounts();
			const execution = await (await n8n.runByWebhook(workflow)).execution();
			const names = nodes.map(({ name }) => name);
			const count = execution.items(names.at(-1) ?? '').length;
			if (execution.status !== 'success' || count !== LEADS) {
				throw new Error(`${names.join(' + ')} ended as ${execution.status} with ${count} leads`);
			}
			const times = names.map((name) => execution.runs(name)[0]?.executionTime ?? NaN);
			return {
				nodeMs: times.reduce((sum, time) => sum + time, 0),
				peakMb: n8n.peakMemory() / 1e6,
				restMb,
				requests: sandbox.counts.dataRequests,
			};
		} finally {
			await n8n.stop();
		}
	}

	/** @type {Record<string, Figures[]>} */
	const figures = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
	for (let round = 1; round <= ROUNDS; round++) {
		for (const [name, nodesOf] of Object.entries(variants)) {
			console.log(`round ${round} of ${ROUNDS}: ${name} …`);
			figures[name]?.push(await measure(nodesOf));
		}
	}
	await sandbox.stop();

	console.log(
		`\n${LEADS} leads over 30 days, medians of ${ROUNDS}, Node ${process.version} outside`,
	);
	for (const [name, all] of Object.entries(figures)) {
		/** @param {keyof Figures} key */
		const middle = (key) => Math.round(median(all.map((each) => each[key])));
		console.log(
			`${name}: node time ${middle('nodeMs')} ms, n8n's peak ${middle('peakMb')} MB (at rest ${middle('restMb')} MB), ${middle('requests')} requests`,
		);
	}
});

/** @param {number[]} values */
function median(values) {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
