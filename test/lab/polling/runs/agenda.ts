import minBy from 'lodash/minBy';

/** What moves the clocks. */
interface Clocks {
	readonly now: number;
	pass(ms: number): void;
}

interface Entry {
	at: number;
	act: () => void;
}

/** What is to happen in virtual time, each at its moment. */
export class Agenda {
	private readonly entries = new Set<Entry>();

	constructor(private readonly clocks: Clocks) {}

	in(ms: number, act: () => void): void {
		this.entries.add({ at: this.clocks.now + Math.ceil(ms), act });
	}

	async sleep(ms: number): Promise<void> {
		await new Promise<void>((resolve) => this.in(ms, resolve));
	}

	async pass(ms: number): Promise<void> {
		const end = this.clocks.now + ms;
		await settled();
		for (let next = this.next(end); next; next = this.next(end)) {
			this.entries.delete(next);
			this.clocks.pass(Math.max(0, next.at - this.clocks.now));
			next.act();
			await settled();
		}
		this.clocks.pass(end - this.clocks.now);
	}

	private next(end: number): Entry | undefined {
		const first = minBy([...this.entries], 'at');
		return first && first.at <= end ? first : undefined;
	}
}

/** Whoever waits for nothing but others has gone as far as possible. */
export async function settled(): Promise<void> {
	await new Promise((resolve) => setImmediate(resolve));
}
