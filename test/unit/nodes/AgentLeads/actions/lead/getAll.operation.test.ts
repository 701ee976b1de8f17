import { describe, expect, it, jest } from '@jest/globals';
import type { IDataObject, IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

import { getManyLeads } from '../../../../../../nodes/AgentLeads/actions/lead/getAll.operation';
import { isoSeconds } from '../../../../../../service/basics/times';
import { textOf } from '../../../../../../service/basics/values';

const DAY = 86_400_000;
const TO = Date.parse('2026-06-30T12:00:00Z');
const FROM = TO - 30 * DAY;

const CREDENTIALS = {
	clientId: 'client',
	secretFormat: 'plain',
	clientSecret: 'invented',
	authUrl: 'https://auth.example.com',
	leadsUrl: 'https://leads.example.com',
};

interface Request {
	branch?: string;
	from: number;
	to: number;
}

type Answer = (request: Request, index: number) => IDataObject[] | Error | number;

/** Runs Get Many over 30 days beside a service that answers as said. */
async function run(answer: Answer, parameters: IDataObject = {}, failed = new AbortController()) {
	jest.useFakeTimers({ now: TO, doNotFake: ['setTimeout', 'setImmediate', 'nextTick'] });
	jest.spyOn(n8nWorkflow, 'sleep').mockImplementation(async (ms) => {
		jest.advanceTimersByTime(ms);
		await Promise.resolve();
	});
	const requests: Request[] = [];
	const values: IDataObject = {
		...{ resource: 'applicantLead', period: 'range', from: isoSeconds(FROM), to: isoSeconds(TO) },
		...{ filterBy: 'none', returnAll: true, simplify: false, options: {} },
		...parameters,
	};
	const send = async (_type: string, { qs = {} }: IHttpRequestOptions) => {
		const [from, to] = ['from-time', 'to-time'].map((name) => Date.parse(textOf(qs[name])));
		const branch = qs['branch-id'] === undefined ? {} : { branch: textOf(qs['branch-id']) };
		const request = { from: from ?? NaN, to: to ?? NaN, ...branch };
		const said = answer(request, requests.push(request) - 1);
		if (said instanceof Error) throw said;
		const body = typeof said === 'number' ? {} : { applicants: said };
		const statusCode = typeof said === 'number' ? said : 200;
		return await Promise.resolve({ statusCode, headers: {}, body });
	};
	const context = {
		getNodeParameter: (name: string, _item: number, fallback: unknown) => values[name] ?? fallback,
		getCredentials: async () => await Promise.resolve(CREDENTIALS),
		getNode: () => ({ type: 'agentLeads' }),
		getTimezone: () => 'Europe/London',
		logger: { warn: () => undefined },
		helpers: { httpRequestWithAuthentication: send },
	};
	try {
		const items = await getManyLeads(context as unknown as IExecuteFunctions, 0, failed.signal);
		return { ids: items.map(({ json }) => json.id), requests };
	} finally {
		jest.restoreAllMocks();
		jest.useRealTimers();
	}
}

/** A service with these leads, by their times. */
function holding(times: number[]): (request: Request) => IDataObject[] {
	const leads = times.map((time, index) => ({ id: index, createdAt: isoSeconds(time), time }));
	return ({ from, to }) =>
		leads
			.filter(({ time }) => time >= from && time <= to)
			.map(({ id, createdAt }) => ({ id, createdAt }));
}

/** From the newest, so that their numbers are in the order of the output. */
function evenly(perDay: number): number[] {
	return Array.from({ length: 30 * perDay }, (_, index) => TO - ((index + 0.5) * DAY) / perDay);
}

describe('a month', () => {
	it('takes a request for the newest day and one for each week before', async () => {
		const { ids, requests } = await run(holding(evenly(20)));

		expect(ids).toEqual(Array.from({ length: 600 }, (_, index) => index));
		expect(requests.map(({ from, to }) => [(TO - to) / DAY, (TO - from) / DAY])).toEqual([
			[0, 1],
			[1, 8],
			[8, 15],
			[15, 22],
			[22, 29],
			[29, 30],
		]);
	});

	it('with a limit ends once it is reached', async () => {
		const { ids, requests } = await run(holding(evenly(20)), { returnAll: false, limit: 50 });

		expect(ids).toEqual(Array.from({ length: 50 }, (_, index) => index));
		expect(requests.map(({ from }) => (TO - from) / DAY)).toEqual([1, 8]);
	});

	it('with a limit is not misled by old leads that come with the newest', async () => {
		const held = holding(evenly(20));
		const oldest = held({ from: FROM, to: FROM + 3 * DAY });

		const { ids } = await run((each) => [...held(each), ...oldest], { returnAll: false });

		expect(ids).toEqual(Array.from({ length: 50 }, (_, index) => index));
	});

	it('is asked for no further once another item has failed the node', async () => {
		const failed = new AbortController();
		const held = holding(evenly(499));
		let asked = 0;

		const course = run(
			(each, index) => {
				asked++;
				if (index === 1) failed.abort();
				return held(each);
			},
			{},
			failed,
		);

		await expect(course).rejects.toThrow('canceled');
		await new Promise((resolve) => setImmediate(resolve));
		expect(asked).toBeLessThanOrEqual(5);
	});
});

describe('filter IDs', () => {
	it.each(['101,102', [101, '102']])(
		'as %j take a request each, and have their order',
		async (ids) => {
			const createdAt = isoSeconds(TO - DAY);

			const { ids: found, requests } = await run(
				({ branch }) => ['a', 'b'].map((name) => ({ id: `${branch}-${name}`, createdAt })),
				{ filterBy: 'branch', filterId: ids, period: 'last24Hours' },
			);

			expect(requests.map(({ branch }) => branch)).toEqual(['101', '102']);
			expect(found).toEqual(['101-a', '101-b', '102-a', '102-b']);
		},
	);
});

describe('a service that sends no more than', () => {
	it.each([
		[250, 20],
		[1_000, 500],
		[500, 130],
		[1_000, 1_500],
	])('%d leads at once still brings all %d of each day', async (most, perDay) => {
		const held = holding(evenly(perDay));

		const { ids } = await run((request) => held(request).slice(0, most));

		expect(ids).toEqual(Array.from({ length: 30 * perDay }, (_, index) => index));
	});
});
