import type { LeadKind, LeadQuestion } from '../reference/leads';
import { LISTS, listLeads } from '../reference/leads';
import { leadsToken } from '../reference/tokens';
import type { Area } from './area';
import type { Reply } from './asker';
import type { Outcome } from './findings';
import { Blocked, differs, expected, notTried } from './findings';
import { answered, departure, recordsAsExpected, refusal, told } from './judge';
import { isRecord } from './records';

type Lead = Record<string, unknown>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** For clocks that differ, and for a lead that was written a little later than it was submitted. */
const TOLERANCE_MS = 2 * MINUTE_MS;

const KINDS: LeadKind[] = ['applicant', 'appraisal'];
const SCHEMAS = { applicant: 'Applicant', appraisal: 'Appraisal' };
const FILTERS = ['branch', 'brand', 'company', 'group'] as const;
const MOST_IDS = 5;

/** What time a lead may have: to the second or the minute, in UTC, or unset. */
const FORMS: Array<[name: string, pattern: RegExp]> = [
	['unset', /^0001-01-01T00:00(:00)?Z$/],
	['to the second', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
	['to the minute', /^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/],
	['with a fraction', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/],
	['with an offset', /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?[+-]\d\d:\d\d$/],
];

export async function checkLeads(area: Area): Promise<void> {
	const { settings } = area;
	const audience = settings.get('AUDIENCE') || settings.get('URL');
	const request = leadsToken(settings.get('AUTH_URL'), await area.pair(), audience);
	const filters = readFilters(area);
	await area.obtainToken('B', request);
	for (const kind of KINDS) await new LeadList(area, kind, filters).check();
	await area.judgeTokenKept();
}

function readFilters({ settings }: Area): LeadQuestion[] {
	const by = settings.get('FILTER_BY');
	const ids = settings
		.get('FILTER_IDS')
		.split(',')
		.map((id) => id.trim())
		.filter(Boolean);
	if (by === '' && ids.length === 0) return [];
	if (!FILTERS.some((each) => each === by) || ids.length === 0) {
		throw new Blocked(
			'AGENT_LEADS_FILTER_BY takes branch, brand, company or group, and AGENT_LEADS_FILTER_IDS an ID of it',
		);
	}
	return ids.slice(0, MOST_IDS).map((id) => ({ [`${by}-id`]: id }));
}

/** The rules of one of the two lists. */
class LeadList {
	/** Of the last two days. */
	private leads: Lead[] = [];

	private readonly now = Math.floor(Date.now() / 1_000) * 1_000;

	constructor(
		private readonly area: Area,
		private readonly kind: LeadKind,
		private readonly filters: LeadQuestion[],
	) {}

	async check(): Promise<void> {
		await this.rule('without times: the last 24 hours', async () => await this.lastDay());
		await this.rule('with times: what lies between them', async () => await this.twoDays());
		await this.rule('the end of a window is kept', async () => await this.halfWindow());
		await this.rule('both ends of a window belong to it', async () => await this.oneMoment());
		await this.rule('the names and types of the fields', async () => await this.names());
		await this.rule('the forms of createdAt', async () => await this.forms());
		await this.rule('every lead has a unique id', async () => await this.ids());
		await this.rule('an invalid time is refused', async () => await this.noTime());
		await this.rule('a time with a fraction of a second', async () => await this.fraction());
		await this.rule('an invalid token is refused', async () => await this.noToken());
		await this.rule('an ID that does not exist brings no leads', async () => await this.noSuchId());
		await this.rule('each given ID by itself', async () => await this.eachId());
		await this.rule('two IDs in one request are refused', async () => await this.twoIds());
	}

	private async rule(rule: string, judge: () => Promise<Outcome>): Promise<void> {
		await this.area.rule(`${this.kind} leads, ${rule}`, judge);
	}

	private async ask(question: LeadQuestion): Promise<Reply> {
		return await this.area.read(listLeads(this.door, this.kind, question));
	}

	private get door() {
		return { baseUrl: this.area.settings.get('URL'), token: this.area.token };
	}

	private departure(reply: Reply): Outcome | undefined {
		return departure('leads', LISTS[this.kind].path, reply, [200]);
	}

	/** Nothing is required, so an answer without the list is an empty one. */
	private leadsOf({ body }: Reply): Lead[] {
		const list = isRecord(body) ? body[LISTS[this.kind].member] : undefined;
		return Array.isArray(list) ? list.filter(isRecord) : [];
	}

	private async lastDay(): Promise<Outcome> {
		const reply = await this.ask({});
		if (reply.status === 400 && this.filters.length !== 1) {
			const outcome = refusal('leads', reply, [400], ['message']);
			return { ...outcome, why: `without an ID it is refused: ${outcome.why}` };
		}
		return this.departure(reply) ?? this.within(reply, this.now - 24 * HOUR_MS, Date.now());
	}

	private async twoDays(): Promise<Outcome> {
		const from = this.now - 48 * HOUR_MS;
		const reply = await this.ask({ ...this.window(from, this.now), ...this.filters[0] });
		if (reply.status === 400 && this.filters.length === 0)
			return notTried('this client ID needs a filter: set AGENT_LEADS_FILTER_BY and …_IDS');
		this.leads = this.leadsOf(reply);
		return this.departure(reply) ?? this.within(reply, from, this.now);
	}

	/** Ends at a lead in the middle: what came after it must not come. */
	private async halfWindow(): Promise<Outcome> {
		const times = this.times().sort((a, b) => a - b);
		const [first, middle = 0, last = 0] = [times[0], times[times.length >> 1], times.at(-1)];
		if (first === undefined || last - first < 2 * TOLERANCE_MS)
			return notTried('too few leads in two days');
		const end = Math.min(middle, last - 2 * TOLERANCE_MS);
		const from = this.now - 48 * HOUR_MS;
		const reply = await this.ask({ ...this.window(from, end), ...this.filters[0] });
		return this.departure(reply) ?? this.within(reply, from, end);
	}

	/** From and to are the very time of a lead. */
	private async oneMoment(): Promise<Outcome> {
		const lead = this.leads.find((each) => timeOf(each) !== undefined && 'id' in each);
		const time = lead && timeOf(lead);
		if (lead === undefined || time === undefined) return notTried('no lead in two days');
		const span = hasSeconds(lead) ? 0 : 59_000;
		const reply = await this.ask({ ...this.window(time, time + span), ...this.filters[0] });
		const isThere = this.leadsOf(reply).some(({ id }) => id === lead.id);
		return (
			this.departure(reply) ??
			(isThere
				? expected('a lead came for its own second')
				: differs('a lead did not come for its own second'))
		);
	}

	private async names(): Promise<Outcome> {
		if (this.leads.length === 0) return notTried('no lead in two days');
		return await Promise.resolve(recordsAsExpected('leads', SCHEMAS[this.kind], this.leads));
	}

	private async forms(): Promise<Outcome> {
		if (this.leads.length === 0) return notTried('no lead in two days');
		const counts = new Map<string, number>();
		for (const { createdAt } of this.leads) {
			const form = formOf(createdAt);
			counts.set(form, (counts.get(form) ?? 0) + 1);
		}
		const all = told([...counts].map(([form, count]) => `${count} ${form}`));
		const outcome = counts.has(OTHER_FORM) ? differs(all) : expected(all);
		return await Promise.resolve(outcome);
	}

	private async ids(): Promise<Outcome> {
		if (this.leads.length === 0) return notTried('no lead in two days');
		const ids = this.leads.map(({ id }) => id);
		const missing = ids.filter((id) => typeof id !== 'string' || id === '').length;
		const repeated = ids.length - missing - new Set(ids.filter(Boolean)).size;
		const outcome =
			missing + repeated > 0
				? differs(`of ${ids.length} leads ${missing} have no id, ${repeated} repeat one`)
				: expected(`${ids.length} leads`);
		return await Promise.resolve(outcome);
	}

	private async noTime(): Promise<Outcome> {
		return refusal('leads', await this.askFrom('yesterday'), [400], ['message']);
	}

	/** Times are in whole seconds; what becomes of others is not stated. */
	private async fraction(): Promise<Outcome> {
		const reply = await this.askFrom(new Date(this.now - HOUR_MS + 500).toISOString());
		if (reply.status === 200) return expected('taken as well');
		return refusal('leads', reply, [400], ['message']);
	}

	/** Asks with a start as no right request has it. */
	private async askFrom(text: string): Promise<Reply> {
		const question = { ...this.window(this.now - HOUR_MS, this.now), ...this.filters[0] };
		const request = listLeads(this.door, this.kind, question);
		const url = request.url.replace(/from-time=[^&]*/, `from-time=${encodeURIComponent(text)}`);
		return await this.area.read({ ...request, url });
	}

	private async noToken(): Promise<Outcome> {
		const door = { ...this.door, token: 'not-a-token' };
		const reply = await this.area.readStrangely(listLeads(door, this.kind));
		return refusal('leads', reply, [401, 403]);
	}

	private async noSuchId(): Promise<Outcome> {
		const reply = await this.ask({ 'branch-id': 'no-such-branch' });
		if (reply.status !== 200) return refusal('leads', reply, [400, 403]);
		const { length } = this.leadsOf(reply);
		if (length > 0) return differs(`the filter is ignored: ${length} leads came`);
		return this.departure(reply) ?? expected('an empty list');
	}

	private async eachId(): Promise<Outcome> {
		if (this.filters.length === 0) return notTried('AGENT_LEADS_FILTER_IDS is not set');
		for (const filter of this.filters) {
			const reply = await this.ask(filter);
			if (reply.status !== 200) return differs(`one of them: ${answered(reply)}, not 200`);
		}
		return expected(`${this.filters.length} answered 200`);
	}

	private async twoIds(): Promise<Outcome> {
		const [filter] = this.filters;
		if (filter === undefined) return notTried('AGENT_LEADS_FILTER_IDS is not set');
		const other = 'group-id' in filter ? 'branch-id' : 'group-id';
		return refusal(
			'leads',
			await this.ask({ ...filter, [other]: 'no-such-id' }),
			[400],
			['message'],
		);
	}

	private window(from: number, to: number): LeadQuestion {
		return { 'from-time': new Date(from), 'to-time': new Date(to) };
	}

	private times(): number[] {
		return this.leads.map(timeOf).filter((time) => time !== undefined);
	}

	private within(reply: Reply, from: number, to: number): Outcome {
		const leads = this.leadsOf(reply);
		const outside = leads.filter((lead) => {
			const time = timeOf(lead);
			const isOutside = (at: number) => at < from - TOLERANCE_MS || at > to + TOLERANCE_MS;
			return time !== undefined && isOutside(time);
		});
		if (outside.length === 0) return expected(`${leads.length} leads, none outside`);
		return differs(`${outside.length} of ${leads.length} leads lie outside by createdAt`);
	}
}

const OTHER_FORM = 'in another form';

function formOf(createdAt: unknown): string {
	if (createdAt === undefined) return 'missing';
	const text = typeof createdAt === 'string' ? createdAt : '';
	return FORMS.find(([, pattern]) => pattern.test(text))?.[0] ?? OTHER_FORM;
}

/** In epoch milliseconds; undefined where the service left it unset or wrote something else. */
function timeOf({ createdAt }: Lead): number | undefined {
	if (['unset', 'missing', OTHER_FORM].includes(formOf(createdAt))) return undefined;
	return Date.parse(String(createdAt));
}

function hasSeconds({ createdAt }: Lead): boolean {
	return formOf(createdAt) !== 'to the minute';
}
