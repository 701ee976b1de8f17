// @ts-check
// A quiet poll of Agent Leads Trigger in a real n8n, after few leads and after many: requests, CPU time, bytes of state.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { build } from '../scripts/build.mjs';
import { ensureN8n, ensureRoot } from '../scripts/ensure-install.mjs';
import { loadHarness } from '../scripts/lib/harness.mjs';
import { nodeForN8n } from '../scripts/lib/n8n-runtime.mjs';
import { main } from '../scripts/lib/run.mjs';
import { pack } from '../scripts/pack.mjs';

const { Sandbox } = createRequire(import.meta.url)('../test/sandbox');

const BRANCHES = Array.from({ length: 40 }, (_, index) => String(10_000 + index));
const LEADS_BEFORE = [1_000, 10_000, 100_000];
const POLLS = 24;
const POLL_EVERY_S = 5;
const CATCH_UP_DEADLINE_MS = 300_000;
const DAY_MS = 24 * 3_600_000;
const TYPES = 2;

/** n8n refuses several seconds in one expression. */
const pollTimes = {
	item: Array.from({ length: 60 / POLL_EVERY_S }, (_, index) => ({
		mode: 'custom',
		cronExpression: `${index * POLL_EVERY_S} * * * * *`,
	})),
};

await main(async () => {
	await ensureRoot();
	await ensureN8n();
	await build();
	await pack();
	const { N8n, chain, until } = await loadHarness();

	/** @param {number} leads delivered before the measurement */
	async function measure(leads) {
		const sandbox = await Sandbox.start();
		const { clientId, clientSecret } = sandbox.updateClient('leads-client', {
			branches: BRANCHES,
		});
		const now = Date.now();
		const days = { from: now - 29 * DAY_MS, to: now - DAY_MS, branchId: BRANCHES };
		sandbox.addLeads('applicant', Math.ceil(leads * 0.7), days);
		sandbox.addLeads('appraisal', Math.floor(leads * 0.3), days);
		const n8n = await N8n.start();
		try {
			const credential = await n8n.createCredential('agentLeadsApi', 'Agent Leads', {
				clientId,
				clientSecret,
				authUrl: sandbox.authUrl,
				leadsUrl: sandbox.leadsUrl,
			});
			const workflow = await n8n.createWorkflow({
				...chain(
					'Leads',
					{
						name: 'Agent Leads Trigger',
						type: 'n8n-nodes-agent-integration.agentLeadsTrigger',
						parameters: {
							pollTimes,
							leadTypes: ['applicant', 'appraisal'],
							filterBy: 'branch',
							filterId: BRANCHES.join(','),
							startFrom: 'last30Days',
						},
						credentials: { agentLeadsApi: credential },
					},
					{ name: 'Limit', type: 'n8n-nodes-base.limit', parameters: { maxItems: 1 } },
				),
				settings: { saveDataSuccessExecution: 'none', saveManualExecutions: false },
			});
			await n8n.activate(workflow);
			await until('the poller to catch up', CATCH_UP_DEADLINE_MS, async () => {
				const { dataRequests } = sandbox.counts;
				await sleep(3 * POLL_EVERY_S * 1_000);
				const quiet = sandbox.counts.dataRequests - dataRequests;
				return quiet <= 4 * BRANCHES.length * TYPES || undefined;
			});

			sandbox.resetCounts();
			const polled = await cpuOver(n8n.pid, async () => await sleep(POLLS * POLL_EVERY_S * 1_000));
			const polls = pollsIn(sandbox);
			const requests = sandbox.counts.dataRequests;
			const bytes = bytesOfState(n8n.userFolder, workflow.id);
			await n8n.deactivate(workflow);
			const idle = await cpuOver(n8n.pid, async () => await sleep(polled.elapsedMs / 2));
			const idleMs = (idle.cpuMs / idle.elapsedMs) * polled.elapsedMs;
			return {
				'leads before': leads,
				polls,
				'requests per poll': Math.round((requests / polls) * 10) / 10,
				'CPU per poll (ms)': Math.round((polled.cpuMs - idleMs) / polls),
				'bytes of state': bytes,
				'n8n idle (CPU ms per s)': Math.round((idle.cpuMs / idle.elapsedMs) * 1_000),
			};
		} finally {
			await n8n.stop();
			await sandbox.stop();
		}
	}

	const rows = [];
	for (const leads of LEADS_BEFORE) {
		console.log(`${leads} leads delivered, then ${POLLS} quiet polls …`);
		rows.push(await measure(leads));
	}
	console.log(`\n${BRANCHES.length} branches × ${TYPES} lead types`);
	console.table(rows);
});

/**
 * How many polls there were since the counts were reset: each asks once for the applicants of a branch.
 *
 * @param {import('../test/sandbox/index.js').Sandbox} sandbox
 */
function pollsIn(sandbox) {
	return sandbox.requests.filter(
		({ path, query }) =>
			path.endsWith('/applicant-leads') && query['branch-id']?.[0] === BRANCHES[0],
	).length;
}

/**
 * @param {number} pid
 * @param {() => Promise<unknown>} work
 */
async function cpuOver(pid, work) {
	const cpuBefore = cpuMs(pid);
	const startedAt = performance.now();
	await work();
	return { cpuMs: cpuMs(pid) - cpuBefore, elapsedMs: performance.now() - startedAt };
}

/**
 * User and system time of a process, as Linux counts it: in hundredths of a second.
 *
 * @param {number} pid
 */
function cpuMs(pid) {
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
	return (Number(fields[11]) + Number(fields[12])) * 10;
}

/**
 * @param {string} userFolder
 * @param {string} workflowId
 */
function bytesOfState(userFolder, workflowId) {
	const script = `
		const { DatabaseSync } = require('node:sqlite');
		const db = new DatabaseSync(process.argv[1], { readOnly: true });
		const row = db.prepare('SELECT length(staticData) AS bytes FROM workflow_entity WHERE id = ?');
		console.log(row.get(process.argv[2]).bytes);`;
	const database = join(userFolder, '.n8n', 'database.sqlite');
	const args = ['--no-warnings', '-e', script, database, workflowId];
	const { stdout, stderr, status } = spawnSync(nodeForN8n().binary, args, { encoding: 'utf8' });
	if (status !== 0) throw new Error(`The stored progress cannot be read: ${stderr}`);
	return Number(stdout);
}
