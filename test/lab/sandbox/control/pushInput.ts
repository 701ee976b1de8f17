import { isRecord } from '../../values';
import type { Sandbox } from '../index';
import type { PushOptions } from '../push/pushes';
import type { PushAuthentication, PushSwitch, PushTarget } from '../push/targets';
import { PUSH_SWITCHES } from '../push/targets';
import { leadKind } from './controlInput';
import type { Input } from './fields';
import { oneOf, record, requireOnly, text, texts, whole } from './fields';

const AUTHENTICATION_FIELDS = {
	key: ['by', 'key'],
	token: ['by', 'tokenUrl', 'clientId', 'clientSecret', 'pairIn', 'audience'],
};

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
	const { id, copies, takesMs, cutAfter, isWrong, branchId } = input;
	const kind = leadKind(input);
	const overrides = record(input, 'overrides');
	const owner = branchId === undefined ? {} : { branchId: text(input, 'branchId') };
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

/** @returns how much faster than in reality repeats come */
export function parseCompression(input: Input): number {
	const compression = whole(input, 'compression');
	if (compression > 0) return compression;
	throw new Error('compression is 1 or more');
}

function switches(input: Input): PushSwitch[] {
	return texts(input, 'without').map((without) => oneOf({ without }, 'without', PUSH_SWITCHES));
}

function parsePushAuthentication(input: Input): PushAuthentication {
	const by = oneOf(input, 'by', ['key', 'token']);
	const { pairIn = 'basic', audience } = input;
	requireOnly(input, AUTHENTICATION_FIELDS[by], `field of an authentication by ${by}`);
	if (by === 'key') return { by, key: text(input, 'key') };
	return {
		by,
		pairIn: oneOf({ pairIn }, 'pairIn', ['basic', 'form', 'json']),
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
