import type { DisturbanceName } from '../disturbance';
import type { Sandbox } from '../index';
import type { Input } from './fields';
import { oneOf, whole } from './fields';

const STATES: Array<DisturbanceName | 'normal'> = ['busy', 'broken', 'refusing access', 'normal'];
const USUAL_SECONDS = 60;
const LONGEST = 3_600;

/** @returns what makes the service be like that for a while, or as usual again */
export function parseDisturbance(input: Input): (sandbox: Sandbox) => void {
	const state = oneOf(input, 'state', STATES);
	if (state === 'normal') return (sandbox) => sandbox.calm();
	const seconds = input.seconds === undefined ? USUAL_SECONDS : whole(input, 'seconds');
	if (seconds < 1 || seconds > LONGEST) throw new Error(`seconds is 1 to ${LONGEST}`);
	return (sandbox) => sandbox.disturbance.begin(state, seconds);
}
