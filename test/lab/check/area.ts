import type { WireRequest } from '../reference/http';
import type { Pair } from '../reference/tokens';
import type { Asker, Reply } from './asker';
import type { Curtain } from './curtain';
import type { Findings, Outcome } from './findings';
import { Blocked, differs, expected, NoAnswer } from './findings';
import { answered } from './judge';
import { isRecord } from './records';
import type { Api, Settings } from './settings';

/** So often a token that is refused is replaced: what is still refused then has another reason. */
const MOST_RENEWALS = 2;

/** The rules of one API under way: its token, and how many requests that was good for. */
export class Area {
	token = '';

	private tokenRequest?: WireRequest;

	private renewals = 0;

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

	/**
	 * A request that the token has to serve; with a new one where it does not.
	 *
	 * @throws NoAnswer
	 */
	async read(request: WireRequest): Promise<Reply> {
		const reply = await this.asker.read(request);
		if (reply.status !== 401) {
			this.accepted++;
			return reply;
		}
		this.refused++;
		if (this.tokenRequest === undefined || this.renewals++ >= MOST_RENEWALS) return reply;
		this.takeToken(await this.asker.token(this.tokenRequest));
		const authorization = `Bearer ${this.token}`;
		return await this.asker.read({ ...request, headers: { ...request.headers, authorization } });
	}

	/** A request whose refusal says nothing of the token. @throws NoAnswer */
	async readStrangely(request: WireRequest): Promise<Reply> {
		return await this.asker.read(request);
	}

	/**
	 * Asks for the token that all requests of the area use.
	 *
	 * @throws Blocked where there is none
	 */
	async obtainToken(form: string, request: WireRequest): Promise<void> {
		this.tokenRequest = request;
		const [outcome] = await Promise.allSettled([this.asker.token(request)]);
		if (outcome.status === 'rejected') {
			const reason: unknown = outcome.reason;
			throw new Blocked(reason instanceof NoAnswer ? reason.message : 'no token could be had');
		}
		const reply = outcome.value;
		if (!this.takeToken(reply)) {
			throw new Blocked(`no token: ${answered(reply)}${adviceFor(reply)}`);
		}
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

	/** @returns whether there was one that a header can hold */
	private takeToken({ status, body }: Reply): boolean {
		const token = isRecord(body) ? body.access_token : undefined;
		if (status !== 200 || typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) return false;
		this.token = token;
		this.curtain.hide(token);
		return true;
	}
}

function adviceFor({ status, kind }: Reply): string {
	if (kind === 'page') return '; is the address right?';
	if (status === 401) return '; the service does not know this client ID and secret';
	return status === 400 || status === 403
		? '; do the audience, scope, client ID and secret belong to this environment?'
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
