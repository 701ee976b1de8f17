import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import contract from '../../../lab/contract/leads.json';
import { HOUR, LeadsBench } from '../../../lab/engine/leads';
import { PollHost } from '../../../lab/engine/poll';
import { usePushHost } from '../../../lab/engine/push';
import { useBenchInVirtualTime } from '../../../lab/engine/useBench';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import { alignClocks, settled } from '../../../lab/engine/virtualTime';
import { listIn, renewClient, toldTo, wildSteps } from '../../../lab/engine/wild';
import type { WildStep } from '../../../lab/sandbox/wild';
import { seedOf } from '../../../lab/seeds';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const RUNS = Number(process.env.WILD_RUNS ?? 80);
const KINDS = ['applicant', 'appraisal'] as const;

type Kind = (typeof KINDS)[number];

/** A run, without what tells its workflow. */
interface Run {
	json: IDataObject;
	key?: string;
}

const bench = useBenchInVirtualTime(LeadsBench);
const world = usePushHost();

/** The runs that a poll starts for the leads of the sandbox. */
async function polled(simplify: boolean): Promise<Run[]> {
	const parameters = { runs: 'onePerLead', startFrom: 'last24Hours', simplify };
	const poll = new PollHost(bench, parameters, { startsTriggers: true });
	await poll.activate();
	await settled();
	const runs = runsOf(poll);
	await poll.unpublish();
	return runs;
}

/** The runs that pushes of the same leads start. */
async function pushed(leads: Array<[Kind, IDataObject]>, simplify: boolean): Promise<Run[]> {
	const { host } = world;
	host.parameters.simplify = simplify;
	const before = host.executions.rows.length;
	for (const [kind, lead] of leads) {
		expect((await host.push({ [kind]: lead })).status).toBe(200);
	}
	return runsOf(host).slice(before);
}

function runsOf({ executions, id }: Pick<PollHost, 'executions' | 'id'>): Run[] {
	return executions.rows.map(({ json, key }) => ({
		json,
		...(key !== undefined && { key: key.replace(`:${id}:`, ':') }),
	}));
}

/** The leads as the service sent them: with Last 24 Hours, the answer that names no times only tells where to begin. */
function sent(): Array<[Kind, IDataObject]> {
	const answers = toldTo(bench).filter(({ search }) => search.includes('from-time='));
	return answers.flatMap(({ value }) =>
		KINDS.flatMap((kind) =>
			listIn(value, `${kind}s`).map((lead): [Kind, IDataObject] => [kind, lead]),
		),
	);
}

const byKey = (runs: Run[]) =>
	runs.sort((one, other) => ((one.key ?? '') < (other.key ?? '') ? -1 : 1));

async function expectSame(add: () => void, steps: WildStep[], simplify: boolean): Promise<void> {
	const { sandbox } = bench;
	sandbox.leads.clear();
	renewClient(bench, { integration: 'leads' });
	alignClocks();
	add();
	sandbox.wild.plan(steps);

	const ofPoll = await polled(simplify);
	const ofPushes = await pushed(sent(), simplify);

	expect(ofPoll.length).toBeGreaterThan(0);
	expect(byKey(ofPushes)).toEqual(byKey(ofPoll));
}

const addLead = (kind: Kind, changes: IDataObject = {}) => {
	const receivedAt = bench.sandbox.now() - HOUR;
	bench.sandbox.addLead(kind, changes, { receivedAt, isOdd: true });
};

describe('the run of a pushed lead has the item and the key of a polled one', () => {
	describe.each([true, false])('with Simplify %s', (simplify) => {
		it.each<[string, unknown]>([
			['an ID', 'a'],
			['an ID with colons and spaces', ' 1:2: '],
			['an ID of other letters', 'é 漢 🏠'],
			['a number as ID', 7],
			['a large number as ID', 2 ** 53 + 2],
			['an ID that is longer than a key', 'x'.repeat(300)],
			['an ID that not every database can store', 'a\0b'],
			['an object as ID', { id: 1 }],
			['a list as ID', ['a']],
			['an empty ID', ''],
			['no ID', null],
		])('for %s', async (_, id) => {
			await expectSame(
				() => KINDS.forEach((kind) => addLead(kind, { id } as IDataObject)),
				[],
				simplify,
			);
		});
	});

	it.each([true, false])('for the examples of the contract, with Simplify %s', async (simplify) => {
		const { ApplicantPush, AppraisalPush } = contract.components.examples;
		const createdAt = new Date(bench.sandbox.now() - HOUR).toISOString();
		const add = () => {
			addLead('applicant', { ...ApplicantPush.value.applicant, createdAt });
			addLead('appraisal', { ...AppraisalPush.value.appraisal, createdAt });
		};

		await expectSame(add, [], simplify);
	});

	it(
		'whatever the contract allows in a lead',
		async () => {
			const seed = seedOf('WILD');
			process.stdout.write(`wild: pushed and polled leads: seed ${seed}, ${RUNS} runs\n`);
			const steps = wildSteps();
			const add = () => KINDS.forEach((kind) => [1, 2].forEach(() => addLead(kind)));

			await fc.assert(
				fc.asyncProperty(
					steps,
					fc.boolean(),
					async (each, simplify) => await expectSame(add, each, simplify),
				),
				{ numRuns: RUNS, seed },
			);
		},
		60_000 + RUNS * 100,
	);
});
