import { bodyText, htmlPage } from '../http';
import { integer, pick } from '../random';
import { spellings } from '../spellings';
import type { Call } from '../types';
import { bodyOf, errorBody, isGood, refusal } from './reply';
import type { Reply, Wildness } from './situation';

/** What the contract does not have, and networks, proxies and hosts do all the same. */
export const MISBEHAVING: Wildness[] = [
	{
		name: 'echoedSecret',
		strength: 'misbehaving',
		isBefore: true,
		breaks: true,
		apply: (reply, situation) => {
			const { random, call } = situation;
			const secrets = secretsIn(call);
			if (secrets.length === 0) return undefined;
			const told = pick(random, spellings(pick(random, secrets)));
			const text = pick(random, [`cannot take ${told}`, `"${told}"`, `{"sent":"${told}"}`]);
			return refusal(reply, pick(random, [400, 500]), errorBody(random, situation, text));
		},
	},
	page('webPageBefore', [200, 302, 403, 404, 500, 502, 503, 504], { isBefore: true }),
	page('webPageAfter', [200, 502, 504], {}),
	{
		name: 'failedAfter',
		strength: 'misbehaving',
		breaks: true,
		apply: (reply, situation) => {
			const { random } = situation;
			const status = pick(random, [500, 503, 504]);
			return refusal(reply, status, errorBody(random, situation, 'failed too late'));
		},
	},
	travelling('resetBefore', 'reset', { isBefore: true, breaks: true }),
	{
		name: 'cutJson',
		strength: 'misbehaving',
		breaks: true,
		apply: (reply, { random }) => {
			const whole = bodyOf(reply);
			if (whole.length < 2 || reply.text !== undefined || !isGood(reply)) return undefined;
			return { ...reply, text: whole.slice(0, integer(random, 0, whole.length - 1)) };
		},
	},
	travelling('truncated', 'truncated', { breaks: true }),
	travelling('resetAfter', 'reset', { breaks: true }),
];

function travelling(name: string, wire: Reply['wire'], more: Partial<Wildness> = {}): Wildness {
	return {
		name,
		strength: 'misbehaving',
		...more,
		apply: (reply) => (reply.wire === 'whole' ? { ...reply, wire } : undefined),
	};
}

function page(name: string, statuses: number[], more: Partial<Wildness>): Wildness {
	return {
		name,
		strength: 'misbehaving',
		breaks: true,
		...more,
		apply: (reply, { random }) => {
			const status = pick(random, statuses);
			const answer = htmlPage(status, 'Please sign in');
			return { ...reply, status, headers: answer.headers ?? {}, text: bodyText(answer) };
		},
	};
}

/** @returns the secrets in a request */
function secretsIn({ headers, body }: Call): string[] {
	const [, scheme, value = ''] = /^(Basic|Bearer) (.+)$/.exec(headers.authorization ?? '') ?? [];
	const inForm = new URLSearchParams(body).get('client_secret');
	const pair = scheme === 'Basic' ? Buffer.from(value, 'base64').toString('utf8') : '';
	const secrets = [
		inForm ?? '',
		pair.slice(pair.indexOf(':') + 1),
		scheme === undefined ? '' : value,
	];
	return secrets.filter((secret) => secret !== '');
}
