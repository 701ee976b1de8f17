import type { Answer, Change, Shown } from './relay';
import { eachActivation } from './relay';

/** Answers orders, and passes on everything else. */
export const orders =
	(answer: Answer | ((given: Answer) => Answer)): Change =>
	async ({ method }, pass) => {
		if (method !== 'POST') return await pass();
		if (typeof answer !== 'function') return answer;
		const given = await pass();
		return given === 'lost' ? given : answer(given);
	};

/** Answers requests for lists from one of them on, and passes on everything else. */
export const lists = (answer: Answer, { from = 0, times = Infinity } = {}): Change => {
	let given = -from;
	return async ({ isList }, pass) => {
		if (!isList) return await pass();
		given++;
		return given > 0 && given <= times ? answer : await pass();
	};
};

/** What somebody else does between the look and the order: two runs at once. */
export const meanwhile = (act: () => void): Change => {
	let isDone = false;
	return async ({ method }, pass) => {
		if (method === 'POST' && !isDone) act();
		isDone ||= method === 'POST';
		return await pass();
	};
};

/** Answers the first looks at one activation, and passes on everything else. */
export const looks = (answer: Answer, times = Infinity): Change => {
	let given = 0;
	return async ({ method, isOfOne }, pass) =>
		method === 'GET' && isOfOne && given++ < times ? answer : await pass();
};

/** Changes these members of every activation. */
export const changed = (changes: Shown) =>
	eachActivation((activation) => ({ ...activation, ...changes }));

/** What a proxy or a login shows in place of the service. */
export const page: Answer = {
	status: 200,
	headers: { 'content-type': 'text/html' },
	body: '<html><body>Sign in</body></html>',
};
