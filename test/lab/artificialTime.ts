import type { SteadyTime } from '../../service/http/steadyTime';

/** Time that passes only while everybody sleeps, from one moment of waking to the next. */
export class ArtificialTime implements SteadyTime {
	private ms = 0;

	private sleepers: Array<{ at: number; wake: () => void }> = [];

	now = (): number => this.ms;

	sleep = async (ms: number): Promise<void> => {
		await new Promise<void>((wake) => this.sleepers.push({ at: this.ms + ms, wake }));
	};

	/** Lets all that is due within so many milliseconds happen. */
	async pass(ms: number): Promise<void> {
		const end = this.ms + ms;
		for (await settle(); ; await settle()) {
			const next = Math.min(...this.sleepers.map(({ at }) => at));
			if (next > end) break;
			this.ms = next;
			const due = this.sleepers.filter(({ at }) => at <= next);
			this.sleepers = this.sleepers.filter(({ at }) => at > next);
			for (const { wake } of due) wake();
		}
		this.ms = end;
	}
}

/** Until nothing more happens by itself. */
async function settle(): Promise<void> {
	await new Promise((resolve) => setImmediate(resolve));
}
