import { beforeEach } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import { LeadsBench } from './leads';
import type { HostOptions } from './poll';
import { PollHost } from './poll';
import { useBench } from './useBench';

export { MINUTE } from '../times';

const START = Date.parse('2026-06-30T12:00:30Z');

type LeadKind = 'applicant' | 'appraisal';

/** The two ways in which n8n keeps the state of a trigger. */
export const TRIGGER_HOSTS: Array<[string, HostOptions]> = [
	['the default scheduler', { isDurable: false }],
	['durable cursors', { isDurable: true }],
];

export const ids = (items: Array<{ id?: unknown }>) => items.map(({ id }) => id);

export const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** In each test a sandbox of the service and n8n's engine, by a clock that the test sets. */
export function useTriggerBench() {
	const bench = useBench(LeadsBench);

	beforeEach(() => {
		bench.setClock(START);
	});

	const host = (parameters: INodeParameters = {}, options: HostOptions = {}) =>
		new PollHost(bench, parameters, options);

	/** Submits a lead `agoMs` ago, received then unless said otherwise. */
	const submit = (id: string, agoMs = 0, kind: LeadKind = 'applicant', owner = {}) => {
		const receivedAt = bench.sandbox.now() - agoMs;
		return bench.sandbox.addLead(kind, { id }, { receivedAt, ...owner });
	};

	const pass = (ms: number) => {
		bench.setClock(Date.now() + ms);
	};

	const windows = () => bench.windows;

	const requestsOf = async (poll: () => Promise<unknown>) => {
		const before = bench.dataRequests.length;
		await poll();
		return bench.dataRequests.length - before;
	};

	const branches = (...branchIds: string[]) => {
		bench.sandbox.updateClient(bench.clientId, { branches: branchIds });
		return { filterBy: 'branch', filterId: branchIds.join(',') };
	};

	return {
		bench,
		host,
		submit,
		pass,
		windows,
		requestsOf,
		branches,
	};
}
