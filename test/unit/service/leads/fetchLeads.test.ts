import { describe, expect, it } from '@jest/globals';

import range from 'lodash/range';
import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../../../../service/failure';
import type { LeadRequest } from '../../../../service/leads/fetchLeads';
import {
	ANY_FILTER_KIND,
	asItIs,
	DEFAULT_QUERY_NAMES,
	fetchLeads,
	FILTER_KINDS,
} from '../../../../service/leads/fetchLeads';
import { newerPart } from '../../../../service/leads/fittingLength';
import type { Session } from '../../../../service/session';
import contract from '../../../lab/contract/leads.json';

describe('the filters', () => {
	it('are those of the contract, each with its ID as a parameter', () => {
		const names = Object.values(contract.components.parameters).map(({ name }) => name);

		expect(FILTER_KINDS.map((kind) => `${kind}-id`).sort()).toEqual(
			names.filter((name) => name.endsWith('-id')).sort(),
		);
		expect(ANY_FILTER_KIND).toBe('branch, brand, company or group');
	});
});

describe('an answer', () => {
	const warnings: string[] = [];
	const read = async (body: object) => {
		const reading = { body: { ...body } };
		const session: Pick<Session, 'get' | 'warn'> = {
			get: async () => await Promise.resolve(reading),
			warn: (message) => warnings.push(message),
		};
		const request = { leadType: 'applicant', names: DEFAULT_QUERY_NAMES, keep: asItIs } as const;
		return await fetchLeads(session as Session, request);
	};

	it.each([
		[{ applicants: [{ id: 'a' }] }, 1],
		[{ applicants: [], total: 0 }, 0],
		[{ applicants: null, total: 0 }, 0],
		[{}, 0],
	])('%j holds %d', async (body, count) => {
		expect((await read(body)).leads).toHaveLength(count);
	});

	it('is read without the entries that are no leads, which are counted', async () => {
		const applicants = [null, { id: 'a' }, 'b', ['c'], { id: 'd' }, 5];

		expect((await read({ applicants })).leads).toEqual([{ id: 'a' }, { id: 'd' }]);
		expect(warnings).toEqual([
			'4 of 6 entries in the service’s list of applicants are no leads: left out',
		]);
	});

	it.each([{ appraisals: [] }, { applicants: {} }, { applicants: 'a' }, { applicants: false }])(
		'%j is not taken for an empty list',
		async (body) => {
			await expect(read(body)).rejects.toMatchObject({ kind: 'foreign' });
		},
	);
});

describe('a repeat', () => {
	const window = { from: 0, to: 10_000 };
	const smaller = () => ({ from: 5_000, to: 10_000 });
	const failures = {
		late: new ServiceError('unavailable', 'late', { requestKind: 'data', isLate: true }),
		gatewayLate: new ServiceError('unavailable', 'late', { requestKind: 'data', status: 504 }),
		error: new ServiceError('unavailable', 'error', { requestKind: 'data', status: 500 }),
		lost: new ServiceError('unavailable', 'lost', { requestKind: 'data' }),
		busy: new ServiceError('busy', 'busy', { requestKind: 'data', status: 429 }),
		unsent: new ServiceError('unavailable', 'no', { requestKind: 'data', isUnsent: true }),
		token: new ServiceError('unavailable', 'no', { requestKind: 'token' }),
	};
	const repeated = async (
		failed: ServiceError | ServiceError[],
		request: Partial<LeadRequest<IDataObject>>,
	) => {
		let query: unknown;
		const session: Pick<Session, 'get'> = {
			get: async (_, { instead } = {}) => {
				for (const failure of [failed].flat()) query = instead?.(failure).query;
				return await Promise.resolve({ body: {} });
			},
		};
		const asked = {
			leadType: 'applicant',
			names: DEFAULT_QUERY_NAMES,
			keep: asItIs,
			...request,
		} as const;
		const { window: answered } = await fetchLeads(session as Session, asked);
		return { query, answered };
	};

	it.each([
		['an answer that was late', failures.late],
		['a gateway that got none in time', failures.gatewayLate],
		['the second error in a row', [failures.error, failures.error]],
		['a lost connection and an error', [failures.lost, failures.error]],
		[
			'two errors with a busy service between them',
			[failures.error, failures.busy, failures.error],
		],
	])('after %s asks for less, and tells what was answered', async (_, failed) => {
		const query = { 'from-time': '1970-01-01T00:00:05Z', 'to-time': '1970-01-01T00:00:10Z' };

		expect(await repeated(failed, { window, smaller })).toEqual({ query, answered: smaller() });
	});

	it.each([failures.error, failures.lost])(
		'after a failure that may be chance asks for the same',
		async (failure) => {
			expect((await repeated(failure, { window, smaller })).answered).toEqual(window);
		},
	);

	it.each([failures.busy, failures.unsent, failures.token])(
		'after a failure that says nothing of the size asks for the same',
		async (failure) => {
			expect((await repeated(failure, { window, smaller })).answered).toEqual(window);
		},
	);

	it('asks for the same if the caller wants the whole window', async () => {
		expect((await repeated(failures.late, { window })).answered).toEqual(window);
	});
});

describe('a round number of leads', () => {
	const window = { from: 0, to: 1_000_000 };
	const late = new ServiceError('unavailable', 'late', { requestKind: 'data', isLate: true });
	const at = (ms: number) => ({ id: `lead ${ms}`, createdAt: new Date(ms).toISOString() });
	const fifty = (first: number, others: number) => [at(first), ...range(49).map(() => at(others))];

	/** How often the service is asked, if the newer half is asked for after a failure, and the first answer holds these. */
	const timesAsked = async (applicants: IDataObject[], isAfterFailure: boolean) => {
		let times = 0;
		const session: Pick<Session, 'get'> = {
			get: async (_, { instead } = {}) => {
				if (isAfterFailure) instead?.(late);
				return await Promise.resolve({ body: { applicants: times++ > 0 ? [at(0)] : applicants } });
			},
		};
		await fetchLeads(session as Session, {
			leadType: 'applicant',
			names: DEFAULT_QUERY_NAMES,
			keep: asItIs,
			window,
			smaller: newerPart,
		});
		return times;
	};

	it.each([
		['all in the window', fifty(600_000, 600_000), false, 2],
		['the first outside', fifty(9_000_000, 600_000), false, 1],
		['the last ones outside', fifty(600_000, 9_000_000), false, 1],
		['all outside of the half that was asked for', fifty(100_000, 100_000), true, 1],
	])(
		'may be all that the service sends, unless it ignores the times: %s',
		async (_, leads, isAfterFailure, times) => {
			expect(await timesAsked(leads, isAfterFailure)).toBe(times);
		},
	);
});
