import { describe, expect, it } from '@jest/globals';

import range from 'lodash/range';
import type { IDataObject } from 'n8n-workflow';

import { DAY_MS, isoSeconds } from '../../../../service/basics/times';
import { textOf } from '../../../../service/basics/values';
import type { FailureDetails, FailureKind } from '../../../../service/failure';
import { orFailure, ServiceError } from '../../../../service/failure';
import type { ReadRequest } from '../../../../service/http/request';
import type { LeadRequest } from '../../../../service/leads/leads';
import {
	ANY_FILTER_KIND,
	DEFAULT_QUERY_NAMES,
	fetchLeads,
	FILTER_KINDS,
} from '../../../../service/leads/leads';
import type { TimeWindow } from '../../../../service/leads/windows';
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
		const reading = { ...body };
		const session: Pick<Session, 'get' | 'warn'> = {
			get: async () => await Promise.resolve(reading),
			warn: (message) => warnings.push(message),
		};
		const request = { leadType: 'applicant', names: DEFAULT_QUERY_NAMES } as const;
		return await fetchLeads(session as Session, request);
	};

	it.each([
		[{ applicants: [{ id: 'a' }] }, 1],
		[{ applicants: [], total: 0 }, 0],
		[{ applicants: null, total: 0 }, 0],
		[{}, 0],
	])('%j holds %d', async (body, count) => {
		expect(await read(body)).toHaveLength(count);
	});

	it('is read without the entries that are no leads, which are counted', async () => {
		const applicants = [null, { id: 'a' }, 'b', ['c'], { id: 'd' }, 5];

		expect(await read({ applicants })).toEqual([{ id: 'a' }, { id: 'd' }]);
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
		request: Partial<LeadRequest>,
		failure: ServiceError | undefined = undefined,
	) => {
		const requests: ReadRequest[] = [];
		const session: Pick<Session, 'get'> = {
			get: async (each) => {
				requests.push(each);
				if (failure) throw failure;
				return await Promise.resolve({});
			},
		};
		const outcome = fetchLeads(session as Session, {
			leadType: 'appraisal',
			names: DEFAULT_QUERY_NAMES,
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

	describe('that was refused', () => {
		const refusal = (status = 400) => new ServiceError('rejected', 'no', { status });
		const noHelp = (details: FailureDetails) => new ServiceError('credential', 'no', details);
		const long = { from: 0, to: 4 * DAY_MS };
		const daysAsked = ({ requests }: { requests: ReadRequest[] }) =>
			requests.map(({ query }) => query?.['from-time']);

		it('for more than a day asks for less, until it is a day', async () => {
			const { requests, failure } = await asked({ window: long }, refusal());

			expect(daysAsked({ requests })).toEqual([
				'1970-01-01T00:00:00Z',
				'1970-01-03T00:00:00Z',
				'1970-01-04T00:00:00Z',
			]);
			expect(failure).toMatchObject({ kind: 'rejected' });
		});

		it('for another reason is not made again', async () => {
			const { requests } = await asked({ window: long }, noHelp({ status: 401 }));

			expect(requests).toHaveLength(1);
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

/** A service that answers what the test says, by how many seconds before its end the window begins and ends. */
async function partsOf(
	window: TimeWindow,
	answer: (asked: TimeWindow) => IDataObject[] | ServiceError,
) {
	const parts: number[][] = [];
	const askFor = ({ query = {} }: ReadRequest): IDataObject[] | ServiceError => {
		const [from = NaN, to = NaN] = ['from-time', 'to-time'].map((name) =>
			Date.parse(textOf(query[name])),
		);
		parts.push([(window.to - from) / 1_000, (window.to - to) / 1_000]);
		return answer({ from, to });
	};
	const session: Pick<Session, 'get'> = {
		get: async (request, { instead } = {}) => {
			let outcome = askFor(request);
			while (outcome instanceof ServiceError) {
				if (!outcome.isTransient || parts.length > 20) throw outcome;
				outcome = askFor(instead?.(outcome) ?? request);
			}
			return await Promise.resolve({ applicants: outcome });
		},
	};
	const request = { leadType: 'applicant', names: DEFAULT_QUERY_NAMES, window } as const;
	return { parts, leads: await fetchLeads(session as Session, request) };
}

describe('a window that is too much for one answer', () => {
	const window = { from: 0, to: 8_000_000 };
	const length = ({ from, to }: TimeWindow) => to - from;
	const failure = (kind: FailureKind, details: FailureDetails) =>
		new ServiceError(kind, 'no', details);

	it('is asked for in halves, and then in parts of what was answered, newest first', async () => {
		const late = failure('unavailable', { requestKind: 'data', isLate: true });

		const { parts, leads } = await partsOf(window, (asked) =>
			length(asked) > 3_000_000 ? late : [{ id: `${asked.from}` }],
		);

		expect(parts).toEqual([
			[8_000, 0],
			[4_000, 0],
			[2_000, 0],
			[6_000, 2_000],
			[4_000, 2_000],
			[8_000, 4_000],
			[6_000, 4_000],
			[8_000, 6_000],
		]);
		expect(leads).toEqual(['6000000', '4000000', '2000000', '0'].map((id) => ({ id })));
	});

	it.each([
		['the service is busy', failure('busy', { requestKind: 'data', status: 429 })],
		['it was never sent', failure('unavailable', { requestKind: 'data', isUnsent: true })],
		['no token could be had', failure('unavailable', { requestKind: 'token' })],
	])('is asked for as it is again if %s', async (_, passing) => {
		let tries = 0;

		const { parts } = await partsOf(window, () => (tries++ < 3 ? passing : []));

		expect(parts).toEqual(Array(4).fill([8_000, 0]));
	});
});

describe('a round number of leads', () => {
	const from = Date.UTC(2026, 5, 30);
	const window = { from, to: from + 8_000_000 };
	const at = (ms: number, count: number) =>
		range(count).map((number) => ({ id: `${ms} ${number}`, createdAt: isoSeconds(from + ms) }));

	it('may be as many as the service sends at most: the window is asked for in parts', async () => {
		const all = [...at(7_000_000, 400), ...at(5_000_000, 300), ...at(1_000_000, 200)];

		const { parts, leads } = await partsOf(window, (asked) =>
			all
				.filter(({ createdAt: at }) => Date.parse(at) >= asked.from && Date.parse(at) <= asked.to)
				.slice(0, 500),
		);

		expect(parts).toEqual([
			[8_000, 0],
			[4_000, 0],
			[2_000, 0],
			[6_000, 2_000],
			[8_000, 6_000],
		]);
		expect(leads).toEqual(all);
	});

	it.each([
		['not round', at(1_000, 501), window],
		['fewer', at(1_000, 400), window],
		[
			'partly dated outside, so that the times are ignored',
			[...at(9e9, 1), ...at(1e3, 499)],
			window,
		],
		['of a window that is not halved', at(30_000, 500), { from, to: from + 60_000 }],
	])('is taken for all if it is %s', async (_, leads, asked) => {
		const { parts } = await partsOf(asked, () => leads);

		expect(parts).toHaveLength(1);
	});

	it('without times is looked into as well, down to a minute', async () => {
		const { parts } = await partsOf({ from: 0, to: 120_000 }, () =>
			range(500)
				.map(String)
				.map((id) => ({ id })),
		);

		expect(parts).toEqual([
			[120, 0],
			[60, 0],
			[120, 60],
		]);
	});
});
