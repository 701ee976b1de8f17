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

	async pass(ms: number): Promise<void> {
		const end = this.clocks.now + ms;
		await settled();
		while (await this.takeNext(end));
		this.clocks.pass(Math.max(0, end - this.clocks.now));
	}

	/** Lets as much time pass as the work needs. */
	async until(work: Promise<unknown>): Promise<void> {
		let isOver = false;
		void work.finally(() => (isOver = true));
		await settled();
		while (!isOver) if (!(await this.takeNext(Infinity))) await settled();
	}

	private async takeNext(end: number): Promise<boolean> {
		const next = minBy([...this.entries], 'at');
		if (!next || next.at > end) return false;
		this.entries.delete(next);
		this.clocks.pass(Math.max(0, next.at - this.clocks.now));
		next.act();
		await settled();
		return true;
	}
}

/** Whoever waits for nothing but others has gone as far as possible. */
export async function settled(): Promise<void> {
	await new Promise((resolve) => setImmediate(resolve));
}
