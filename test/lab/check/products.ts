import { randomUUID } from 'node:crypto';

import type { Door, WireRequest } from '../reference/http';
import type { PremiumQuestion, Product, WeeklyQuestion } from '../reference/products';
import { getActivation, listPremium, listWeekly, PATHS } from '../reference/products';
import { PRODUCTS_SCOPE, productsToken } from '../reference/tokens';
import type { Area } from './area';
import type { Reply } from './asker';
import type { Outcome } from './findings';
import { differs, expected, notTried } from './findings';
import { departure, recordsAsExpected, refusal } from './judge';
import { isRecord } from './records';

type Activation = Record<string, unknown>;

const NO_SUCH_LISTING = 'no-such-listing';
const DAY_MS = 24 * 3_600_000;
const PRODUCTS: Product[] = ['premium', 'weekly'];
const SCHEMAS = { premium: 'PremiumActivation', weekly: 'WeeklyActivation' };

export async function checkProducts(area: Area): Promise<void> {
	const { settings } = area;
	const scope = settings.get('SCOPE') || PRODUCTS_SCOPE;
	await area.obtainToken('A', productsToken(settings.get('AUTH_URL'), await area.pair(), scope));
	for (const product of PRODUCTS) await new ActivationList(area, product).check();
	await area.judgeTokenKept();
}

/** The rules of what reads one of the two products; nothing is ever ordered here. */
class ActivationList {
	private activations: Activation[] = [];

	private readonly since = new Date(Date.now() - 30 * DAY_MS);

	constructor(
		private readonly area: Area,
		private readonly product: Product,
	) {}

	async check(): Promise<void> {
		await this.rule('the list of 30 days is a bare array', async () => await this.month());
		await this.rule('the names and types of the fields', async () => await this.names());
		await this.rule('one by its id', async () => await this.one());
		await this.rule('an id that does not exist', async () => await this.noSuchId());
		await this.rule('a listing that has none: an empty list', async () => await this.noListing());
		await this.rule('a customerListingId that matches nothing is refused', async () =>
			this.refused(await this.ask({ customerListingId: NO_SUCH_LISTING })),
		);
		await this.rule('both ids in one request are refused', async () =>
			this.refused(await this.ask({ listingId: '1', customerListingId: NO_SUCH_LISTING })),
		);
		if (this.product === 'weekly') {
			await this.rule('a time in place of the day is refused', async () => await this.notADay());
		}
		await this.rule('an invalid token is refused', async () => await this.noToken());
	}

	private async rule(rule: string, judge: () => Promise<Outcome>): Promise<void> {
		await this.area.rule(`${this.product}, ${rule}`, judge);
	}

	private get door() {
		return { baseUrl: this.area.settings.get('URL'), token: this.area.token };
	}

	private get path(): string {
		return PATHS[this.product];
	}

	private async ask(question: ListingQuestion): Promise<Reply> {
		return await this.area.read(LISTS[this.product](this.door, question));
	}

	private refused(reply: Reply): Outcome {
		return refusal('products', reply, [400]);
	}

	private async month(): Promise<Outcome> {
		const reply = await this.area.read(
			this.product === 'premium'
				? listPremium(this.door, { date_from: this.since, date_to: new Date() })
				: listWeekly(this.door, { date_from: dayOf(this.since) }),
		);
		const outcome = departure('products', this.path, reply, [200]);
		if (outcome) return outcome;
		this.activations = activationsOf(reply);
		const oldest = Date.parse(dayOf(this.since)) - DAY_MS;
		const early = this.activations.filter(
			({ createdAt }) => Date.parse(String(createdAt)) < oldest,
		);
		const all = `${this.activations.length} activations`;
		return early.length > 0 ? differs(`${early.length} of ${all} are older`) : expected(all);
	}

	private async names(): Promise<Outcome> {
		if (this.activations.length === 0) return notTried('no activation in 30 days');
		const { product, activations } = this;
		return await Promise.resolve(recordsAsExpected('products', SCHEMAS[product], activations));
	}

	private async one(): Promise<Outcome> {
		const id = this.activations.find((each) => typeof each.id === 'string')?.id;
		if (typeof id !== 'string') return notTried('no activation in 30 days');
		const reply = await this.area.read(getActivation(this.door, this.product, id));
		const outcome = departure('products', `${this.path}/${id}`, reply, [200]);
		if (outcome) return outcome;
		const isSame = isRecord(reply.body) && reply.body.id === id;
		return isSame ? expected('200, the one asked for') : differs('200, but not the one asked for');
	}

	private async noSuchId(): Promise<Outcome> {
		const reply = await this.area.read(getActivation(this.door, this.product, randomUUID()));
		return refusal('products', reply, [404]);
	}

	private async noListing(): Promise<Outcome> {
		const reply = await this.ask({ listingId: '1' });
		const outcome = departure('products', this.path, reply, [200]);
		if (outcome) return outcome;
		const { length } = activationsOf(reply);
		return length > 0 ? differs(`the filter is ignored: ${length} came`) : expected('200, []');
	}

	private async notADay(): Promise<Outcome> {
		const request = listWeekly(this.door, { date_from: this.since.toISOString() });
		return this.refused(await this.area.read(request));
	}

	private async noToken(): Promise<Outcome> {
		const door = { ...this.door, token: 'not-a-token' };
		const reply = await this.area.readStrangely(LISTS[this.product](door, { listingId: '1' }));
		return refusal('products', reply, [401, 403]);
	}
}

/** What both lists take. */
type ListingQuestion = Pick<PremiumQuestion & WeeklyQuestion, 'listingId' | 'customerListingId'>;

const LISTS: Record<Product, (door: Door, question: ListingQuestion) => WireRequest> = {
	premium: listPremium,
	weekly: listWeekly,
};

function activationsOf({ body }: Reply): Activation[] {
	return Array.isArray(body) ? body.filter(isRecord) : [];
}

function dayOf(time: Date): string {
	return time.toISOString().slice(0, 10);
}
