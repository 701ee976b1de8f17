import { isRecord } from '../../values';
import { leadKind, text, texts, whole } from '../controlInput';
import type { Sandbox } from '../index';
import type { PushOptions } from './pushes';
import type { PushAuthentication, PushSwitch, PushTarget } from './targets';
import { PUSH_SWITCHES } from './targets';

type Input = Record<string, unknown>;

export function parsePushTarget(input: Input): PushTarget {
	const { authentication, without } = input;
	if (!isRecord(authentication)) throw new Error('authentication is an object');
	return {
		url: address(input, 'url'),
		authentication: parsePushAuthentication(authentication),
		...(without !== undefined && { without: switches(input) }),
	};
}

/**
 * Pushes a lead that is there, or a new one.
 *
 * @returns what pushes it and tells its id
 */
export function parsePush(input: Input): (sandbox: Sandbox) => unknown {
	const { id, copies, takesMs, cutAfter, isWrong, overrides = {}, ...owner } = input;
	const kind = leadKind(input);
	if (!isRecord(overrides)) throw new Error('overrides is an object');
	const options: PushOptions = {
		...(copies !== undefined && { copies: whole(input, 'copies') }),
		...(takesMs !== undefined && { takesMs: whole(input, 'takesMs') }),
		...(cutAfter !== undefined && { cutAfter: whole(input, 'cutAfter') }),
		isWrong: isWrong === true,
	};
	return (sandbox) => {
		if (sandbox.pushes.targets.length === 0) throw new Error('no address is registered');
		if (id === undefined) {
			return { id: sandbox.addLead(kind, overrides, owner, options).id };
		}
		sandbox.pushes.announce(kind, sandbox.leads.find(kind, text(input, 'id')), options);
		return { id };
	};
}

/** @returns how much faster than in life repeats come */
export function parseCompression(input: Input): number {
	const compression = whole(input, 'compression');
	if (compression > 0) return compression;
	throw new Error('compression is 1 or more');
}

function switches(input: Input): PushSwitch[] {
	return texts(input, 'without').map((name) => {
		const found = PUSH_SWITCHES.find((each) => each === name);
		if (found === undefined) throw new Error(`without names some of ${PUSH_SWITCHES.join(', ')}`);
		return found;
	});
}

function parsePushAuthentication(input: Input): PushAuthentication {
	if (input.by === 'key') return { by: 'key', key: text(input, 'key') };
	const { by, pairIn = 'basic', audience } = input;
	if (by !== 'token') throw new Error('by is key or token');
	if (pairIn !== 'basic' && pairIn !== 'form' && pairIn !== 'json') {
		throw new Error('pairIn is basic, form or json');
	}
	return {
		by,
		pairIn,
		tokenUrl: address(input, 'tokenUrl'),
		clientId: text(input, 'clientId'),
		clientSecret: text(input, 'clientSecret'),
		...(audience !== undefined && { audience: text(input, 'audience') }),
	};
}

function address(input: Input, name: string): string {
	const value = text(input, name);
	if (!/^http:\/\/\S+$/.test(value)) throw new Error(`${name} is an http:// address`);
	return value;
}
