import type { WireRequest } from '../reference/http';
import type { Pair } from '../reference/tokens';
import type { Asker, Reply } from './asker';
import type { Findings, Outcome } from './findings';
import type { Curtain } from './curtain';
import { Blocked, differs, expected, NoAnswer } from './findings';
import { answered } from './judge';
import { isRecord } from './records';
import type { Api, Settings } from './settings';

/** The rules of one API under way: what is known of it, and how many requests its token was good for. */
export class Area {
	token = '';

	private accepted = 0;

	private refused = 0;

	constructor(
		readonly settings: Settings,
		private readonly asker: Asker,
		private readonly findings: Findings,
		private readonly curtain: Curtain,
	) {}

	/** @throws Blocked where there is no secret, or it cannot be opened */
	async pair(): Promise<Pair> {
		const pair = await this.settings.pair();
		this.curtain.hide(pair.clientSecret);
		return pair;
	}

	get api(): Api {
		return this.settings.api;
	}

	async rule(rule: string, judge: () => Promise<Outcome>): Promise<void> {
		await this.findings.rule(this.api, rule, judge);
	}

	/** @throws NoAnswer */
	async read(request: WireRequest): Promise<Reply> {
		const reply = await this.asker.read(request);
		if (reply.status === 401) this.refused++;
		else this.accepted++;
		return reply;
	}

	/** A request whose refusal says nothing of the token. @throws NoAnswer */
	async readStrangely(request: WireRequest): Promise<Reply> {
		return await this.asker.read(request);
	}

	/**
	 * Asks for the one token that all requests of the area use.
	 *
	 * @throws Blocked where there is none
	 */
	async obtainToken(form: string, request: WireRequest): Promise<void> {
		const [outcome] = await Promise.allSettled([this.asker.token(request)]);
		if (outcome.status === 'rejected') {
			const reason: unknown = outcome.reason;
			throw new Blocked(reason instanceof NoAnswer ? reason.message : 'no token could be had');
		}
		const reply = outcome.value;
		const token = isRecord(reply.body) ? reply.body.access_token : undefined;
		if (reply.status !== 200 || typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
			throw new Blocked(`no token: ${answered(reply)}${adviceFor(reply)}`);
		}
		this.token = token;
		this.curtain.hide(token);
		await this.rule(`a token by form ${form}`, async () => Promise.resolve(judgeToken(reply)));
	}

	/** Said at the end: one token has served all. */
	async judgeTokenKept(): Promise<void> {
		const { accepted, refused } = this;
		await this.rule('one token serves all requests', async () =>
			Promise.resolve(
				refused > 0
					? differs(`refused (401) for ${refused} of ${accepted + refused} requests`)
					: expected(`${accepted} requests`),
			),
		);
	}
}

function adviceFor({ status, kind }: Reply): string {
	if (kind === 'page') return '; is the address right?';
	if (status === 401) return '; the service does not know this pair';
	return status === 400 || status === 403
		? '; an audience, a scope or a pair of another environment?'
		: '';
}

function judgeToken({ status, body }: Reply): Outcome {
	const { token_type: type, expires_in: life } = isRecord(body) ? body : {};
	if (typeof type !== 'string' || type.toLowerCase() !== 'bearer')
		return differs(type === undefined ? 'no token_type' : 'token_type is not Bearer');
	if (typeof life !== 'number') return differs(`expires_in is ${kindOf(life)}, not a number`);
	if (!Number.isInteger(life) || life < 1)
		return differs('expires_in is not a whole number above 0');
	const hint = life > 86_400 * 31 ? '; that is more than a month: are these seconds?' : '';
	return expected(`${status}, access_token, Bearer, expires_in ${life}${hint}`);
}

function kindOf(value: unknown): string {
	if (value === undefined) return 'missing';
	return value === null ? 'null' : `a ${typeof value}`;
}
