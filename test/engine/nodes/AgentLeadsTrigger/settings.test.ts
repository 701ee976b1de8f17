import { describe, expect, it } from '@jest/globals';

import { useTriggerBench } from '../../../lab/engine/triggerBench';

const world = useTriggerBench();
const { host } = world;

describe('a wrong field', () => {
	it.each([
		[{ leadTypes: [] }, '“Trigger On” has nothing chosen'],
		[{ leadTypes: ['tenant'] }, '“Trigger On” has an unknown value'],
		[{ startFrom: 'yesterday' }, '“Start From” is unknown'],
		[
			{ options: { lookBack: 0 } },
			'“Look Back” must be a whole number of at least 1 and at most 43200',
		],
		[{ filterBy: 'branch', filterId: '1,,2' }, '“Filter IDs” contains an empty ID'],
		[{ filterBy: 'branch', filterId: '1; 2' }, '“Filter IDs” has “;” in the ID “1; 2”'],
		[{ filterBy: 'branch', filterId: '={{ [] }}' }, '“Filter IDs” contains an empty ID'],
		[{ options: { maxTries: 0 } }, '“Max Tries” must be a whole number of at least 1'],
	])('with %j asks for nothing and says: %s', async (parameters, message) => {
		const trigger = host(parameters);

		const error = await trigger.failure(trigger.activate());

		expect(error.message).toBe(message);
		expect(error.failure).toEqual({ cause: 'configuration-invalid' });
		expect(world.bench.sandbox.requests).toEqual([]);
	});
});

it.each([[['any']], [['applicant', 'any']], ['any'], ['applicant, appraisal']])(
	'Trigger On: with %j asks for both kinds of leads',
	async (leadTypes) => {
		await host({ leadTypes }).activate();

		const paths = world.bench.sandbox.requests.map(({ path }) => path);
		expect(paths).toContainEqual(expect.stringMatching(/applicant-leads$/));
		expect(paths).toContainEqual(expect.stringMatching(/appraisal-leads$/));
	},
);
