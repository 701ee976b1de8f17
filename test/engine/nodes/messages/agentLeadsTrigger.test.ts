import { setImmediate } from 'node:timers/promises';

import { describe, jest } from '@jest/globals';
import type { IRun, ITriggerFunctions } from 'n8n-workflow';
import { createRunExecutionData, NodeOperationError } from 'n8n-workflow';

import { AgentLeadsTrigger } from '../../../../nodes/AgentLeadsTrigger/AgentLeadsTrigger.node';
import { DAY, HOUR, LeadsBench } from '../../../lab/engine/leads';
import { PollHost } from '../../../lab/engine/poll';
import { holdsMessages, seenIn, trigger, used } from '../../../lab/engine/messages';

/** An n8n that keeps no keys. */
const emitWithoutKey: ITriggerFunctions['emit'] = (items, response, done) =>
	void [items, response, done];

/** What n8n says when a workflow is published in it: the advice follows in the same text. */
const publishedInOldN8n = async () =>
	await used(LeadsBench.start(), async (bench) => {
		const host = new PollHost(bench);
		const { message, context } = await host.failure(host.lend(emitWithoutKey));
		return { message: message.split('. ')[0], code: context.code };
	});

/** What n8n's log is told at activation, with One per Lead. */
function reportedBy({ reported: [error] }: PollHost) {
	return error instanceof NodeOperationError ? seenIn(error) : undefined;
}

/** What is reported of a lead whose first run was lost with its process, and whose second one fails. */
const givenUp = async () =>
	await used(LeadsBench.start(), async (bench) => {
		const parameters = { runs: 'onePerLead', startFrom: 'last24Hours', options: { runAgain: 1 } };
		const host = new PollHost(bench, parameters, { startsTriggers: false });
		const hasFailed = new Promise<void>((resolve) => {
			void host.lend((_items, _response, done, key) => {
				if (key) done?.resolve(runOf('error'));
				resolve();
			});
		});
		const receivedAt = Date.now() - HOUR;
		const createdAt = new Date(receivedAt).toISOString();
		bench.sandbox.addLead('applicant', { id: 'lost', createdAt }, { receivedAt });
		const runs = { 'applicant lost': { key: 2, failed: 1 } };
		host.state = { version: 1, polls: 1, targets: {}, delivered: {}, runs };
		await host.activate();
		await hasFailed;
		await host.tick();
		return reportedBy(host);
	});

/** What is reported of a lead whose run n8n cannot store. */
const stuck = async () =>
	await used(LeadsBench.start(), async (bench) => {
		const parameters = { runs: 'onePerLead', startFrom: 'last24Hours' };
		const host = new PollHost(bench, parameters, { startsTriggers: false });
		await host.lend((_items, _response, done, key) => {
			if (key) done?.reject(new Error('The disk is full'));
		});
		const receivedAt = Date.now() - HOUR;
		bench.sandbox.addLead('applicant', { id: 'stuck' }, { receivedAt });
		await host.activate();
		for (let tries = 0; tries < 6; tries++) {
			jest.spyOn(Date, 'now').mockReturnValue(Date.now() + HOUR);
			await host.tick();
			await setImmediate();
		}
		return reportedBy(host);
	});

/** What n8n's log is told of a workflow that leads are pushed to as well. */
function runOf(status: IRun['status']): IRun {
	const data = createRunExecutionData();
	return { status, data, mode: 'trigger', startedAt: new Date(), storedAt: 'db' };
}

describe('messages of Agent Leads Trigger', () => {
	holdsMessages([
		[
			'There is nothing to show',
			async () =>
				await used(LeadsBench.start(), async (bench) => {
					const host = new PollHost(bench);
					return seenIn(await host.failure(host.test()));
				}),
		],
		[
			'Leads submitted between … may be missing: …',
			async () =>
				await used(LeadsBench.start(), async (bench) => {
					const host = new PollHost(bench);
					await host.activate();
					bench.setClock(Date.now() + 40 * DAY);
					const warn = jest.spyOn(host.logger, 'warn');
					await host.tick();
					return warn.mock.calls
						.flat()
						.map(String)
						.find((line) => line.includes('missing'));
				}),
		],
		['The stored progress cannot be read at …', trigger({}, { version: 2 })],
		[
			'The stored progress cannot be read at …',
			trigger({}, { version: 1, polls: 1, targets: 'none' }),
		],
		['The workflow failed … times for …', givenUp],
		['n8n could not start the workflow for …', stuck],
		['This trigger needs n8n 2.39 or newer', publishedInOldN8n],
		[
			'A lead that is both pushed and polled …',
			async () => await Promise.resolve(new AgentLeadsTrigger().description.hints?.[0]?.message),
		],
	]);
});

describe('messages of Agent Leads Trigger on its fields', () => {
	holdsMessages([
		['“…” has …', trigger({ leadTypes: [] })],
		['“…” has …', trigger({ leadTypes: ['buyer'] })],
		['“…” is …', trigger({ startFrom: 'ever' })],
		['“…” is …', trigger({ runs: 'onePerDay' })],
		['“…” must be …', trigger({ runs: 'onePerLead', options: { runAgain: 6 } })],
	]);
});
