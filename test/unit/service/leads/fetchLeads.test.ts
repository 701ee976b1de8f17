import { describe, expect, it } from '@jest/globals';

import range from 'lodash/range';
import uniq from 'lodash/uniq';
import type { IDataObject } from 'n8n-workflow';

import { DAY_MS } from '../../../../service/basics/times';
import type { FailureDetails } from '../../../../service/failure';
import { orFailure, ServiceError } from '../../../../service/failure';
import type { LeadRequest } from '../../../../service/leads/fetchLeads';
import {
	ANY_FILTER_KIND,
	asItIs,
	DEFAULT_QUERY_NAMES,
	fetchLeads,
	FILTER_KINDS,
} from '../../../../service/leads/fetchLeads';
import { newerPart } from '../../../../service/leads/fittingLength';
import type { ReadRequest, Session } from '../../../../service/session';
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
			'4 of 6 entries in the service’s list of applicants are not leads and were left out',
		]);
	});

	it.each([{ appraisals: [] }, { applicants: {} }, { applicants: 'a' }, { applicants: false }])(
		'%j is not taken for an empty list',
		async (body) => {
			await expect(read(body)).rejects.toMatchObject({
				kind: 'foreign',
				message: 'The service answered without a list of applicants',
			});
		},
	);
});

describe('a request', () => {
	/** What is asked for, and the failure that it ends in. */
	const asked = async (
		request: Partial<LeadRequest<IDataObject>>,
		failure: ServiceError | undefined = undefined,
	) => {
		const requests: ReadRequest[] = [];
		const session: Pick<Session, 'get'> = {
			get: async (each) => {
				requests.push(each);
				if (failure) throw failure;
				return await Promise.resolve({ body: {} });
			},
		};
		const outcome = fetchLeads(session as Session, {
			leadType: 'appraisal',
			names: DEFAULT_QUERY_NAMES,
			keep: asItIs,
			...request,
		});
		return { requests, failure: await orFailure(outcome) };
	};

	it.each([
		['the usual name', DEFAULT_QUERY_NAMES, 'brand-id'],
		['the name that is set', { ...DEFAULT_QUERY_NAMES, filter: 'brand' }, 'brand'],
	])('has the ID of its filter under %s', async (_, names, name) => {
		const { requests } = await asked({ names, filter: { by: 'brand', id: '7' } });

		expect(requests.map(({ path, query }) => ({ path, query }))).toEqual([
			{ path: '/appraisal-leads', query: { [name]: '7' } },
		]);
	});

	it('without a filter or a window has no parameters', async () => {
		const { requests } = await asked({});

		expect(requests.map(({ query }) => query)).toEqual([{}]);
	});

	it('may be refused to one filter and granted to another', async () => {
		const all = [
			{},
			{ filter: { by: 'brand', id: '7' } },
			{ filter: { by: 'branch', id: '7' } },
			{ filter: { by: 'branch', id: '71' } },
			{ leadType: 'applicant', filter: { by: 'branch', id: '7' } },
		] as const;

		const subjects = await Promise.all(
			all.map(async (each) => (await asked(each)).requests[0]?.subject),
		);

		expect(uniq(subjects)).toHaveLength(all.length);
	});

	describe('that was refused', () => {
		const refusal = (status = 400) => new ServiceError('rejected', 'no', { status });
		const noHelp = (details: FailureDetails) => new ServiceError('credential', 'no', details);
		const long = { from: 0, to: 4 * DAY_MS };
		const daysAsked = ({ requests }: { requests: ReadRequest[] }) =>
			requests.map(({ query }) => query['from-time']);

		it('for more than a day asks for less, until it is a day', async () => {
			const { requests, failure } = await asked({ window: long, smaller: newerPart }, refusal());

			expect(daysAsked({ requests })).toEqual([
				'1970-01-01T00:00:00Z',
				'1970-01-03T00:00:00Z',
				'1970-01-04T00:00:00Z',
			]);
			expect(failure).toMatchObject({ kind: 'rejected' });
		});

		it.each([
			['whose caller wants the whole window', { window: long }, refusal()],
			['whose window cannot be shorter', { window: long, smaller: () => long }, refusal()],
			['refused for another reason', { window: long, smaller: newerPart }, noHelp({ status: 401 })],
		])('%s is not made again', async (_, request, failure) => {
			expect((await asked(request, failure)).requests).toHaveLength(1);
		});

		it('is told with what to check: the ID, or that one is missing', async () => {
			const filter = { by: 'group', id: '12' } as const;

			const failures = [await asked({ filter }, refusal()), await asked({}, refusal())];

			expect(failures.map(({ failure }) => failure)).toMatchObject([
				{
					message: 'no',
					details: { remedy: expect.stringMatching(/^Check the group ID 12: it must be an ID/) },
				},
				{
					message: 'no: a filter may be missing',
					details: {
						remedy: expect.stringMatching(/more than one branch, brand, company or group/),
					},
				},
			]);
		});

		it.each([refusal(404), noHelp({ status: 400 })])(
			'for what has nothing to do with the filter is told as it is',
			async (failure) => {
				expect((await asked({}, failure)).failure).toBe(failure);
			},
		);
	});
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
		'after failures that say nothing of the size asks for the same',
		async (failure) => {
			const failed = [failure, failure, failure];

			expect((await repeated(failed, { window, smaller })).answered).toEqual(window);
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
	const timesAsked = async (
		applicants: IDataObject[],
		isAfterFailure: boolean,
		request: Pick<LeadRequest<IDataObject>, 'window' | 'smaller'> = { window, smaller: newerPart },
	) => {
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
			...request,
		});
		return times;
	};

	it.each([
		['all in the window', fifty(600_000, 600_000), false, 2],
		['the first outside', fifty(9_000_000, 600_000), false, 1],
		['the last ones outside', fifty(600_000, 9_000_000), false, 1],
		['all outside of the half that was asked for', fifty(100_000, 100_000), true, 1],
		['one less', fifty(600_000, 600_000).slice(1), false, 1],
	])(
		'may be all that the service sends, unless it ignores the times: %s',
		async (_, leads, isAfterFailure, times) => {
			expect(await timesAsked(leads, isAfterFailure)).toBe(times);
		},
	);

	it.each([
		['the caller wants the whole window', { window }],
		['the window cannot be shorter', { window: { from: 0, to: 60_000 }, smaller: newerPart }],
	])('is taken for all if %s', async (_, request) => {
		expect(await timesAsked(fifty(30_000, 30_000), false, request)).toBe(1);
	});
});
