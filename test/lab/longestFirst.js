// @ts-check
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Test files that take minutes. Where Jest has not measured them yet, it begins with large files, and would come to some of
 * these last, while all other workers have nothing left to do.
 */
const LONGEST = [
	'proof/queue.test.ts',
	'e2e/onePerLead.test.ts',
	'e2e/barredLead.test.ts',
	'AgentLeadsTrigger/poll.failures.test.ts',
	'e2e/trigger.test.ts',
	'e2e/push.test.ts',
	'AgentProducts/schedules.property.test.ts',
];

/** Jest runs the files in this order, each as soon as a worker is free. */
module.exports = class LongestFirst extends Sequencer {
	/** @override @type {import("@jest/test-sequencer").default["sort"]} */
	async sort(tests) {
		const usual = await super.sort(tests);
		const isLong = (/** @type {{ path: string }} */ { path }) =>
			LONGEST.some((end) => path.endsWith(end));
		return [...usual.filter(isLong), ...usual.filter((test) => !isLong(test))];
	}
};
