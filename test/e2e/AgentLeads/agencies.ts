import { expect } from '@jest/globals';
import type { INode } from 'n8n-workflow';

import type { Execution } from '../../lab/n8n';
import { agentLeads, NODE, type Client, type LoggedRequest, type Stage } from '../../lab/n8n/stage';

export interface Agency {
	client: Client;
	branchId: string;
}

/** Agencies with leads on a stage, and what they get and ask for. */
export class Agencies {
	private count = 0;

	constructor(private readonly stage: Stage) {}

	/** An agency with one branch, which sees the leads of that branch and no others. */
	add(): Agency {
		const branchId = `branch-${++this.count}`;
		return { client: this.stage.addClient({ branches: [branchId] }), branchId };
	}

	/** A lead that was submitted then; its id is what the test expects to see. */
	addLead(
		owner: { branchId?: string },
		id: string,
		at: number,
		overrides: Record<string, unknown> = {},
	) {
		return this.stage.sandbox.addLead(
			'applicant',
			{ id, createdAt: inSeconds(at), ...overrides },
			{ ...owner, receivedAt: at, isOdd: 'novelty' in overrides },
		);
	}

	async execute(
		{ client }: Pick<Agency, 'client'>,
		parameters: INode['parameters'],
		timezone?: string,
	): Promise<Execution> {
		const node = agentLeads(await this.stage.saveCredential(client), parameters);
		const settings = timezone === undefined ? {} : { timezone };
		return await this.stage.execute(await this.stage.webhookWorkflow([node], settings));
	}

	/** The whole span that a client asked for, oldest window first; no second is left out. */
	spanOf(client: Client): { from: number; to: number; windows: number } {
		const windows = this.stage
			.leadsRequests(client)
			.map(windowOf)
			.sort((one, other) => one.from - other.from);
		windows.forEach(({ from }, index) => {
			expect(from).toBeLessThanOrEqual(windows[index - 1]?.to ?? from);
		});
		const [first, last] = [windows.at(0), windows.at(-1)];
		if (!first || !last) throw new Error('There was no request');
		return { from: first.from, to: last.to, windows: windows.length };
	}
}

export function ids(execution: Execution): unknown[] {
	expect(execution.status).toBe('success');
	return execution.json(NODE).map((lead) => lead.id);
}

/** `2006-01-02T15:04:05Z` */
export function inSeconds(epochMs: number): string {
	return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** What a clock on the wall shows: `2006-01-02T15:04:05`, as n8n's date picker writes it. */
export function onTheWall(epochMs: number, timeZone: string): string {
	const text = new Intl.DateTimeFormat('sv-SE', {
		timeZone,
		dateStyle: 'short',
		timeStyle: 'medium',
	}).format(epochMs);
	return text.replace(' ', 'T');
}

/** The window that a request asks for, in epoch milliseconds. */
export function windowOf({ query }: LoggedRequest): { from: number; to: number } {
	const [from, to] = [query['from-time'], query['to-time']].map((texts) => {
		expect(texts).toHaveLength(1);
		expect(texts?.[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
		return Date.parse(texts?.[0] ?? '');
	}) as [number, number];
	return { from, to };
}
