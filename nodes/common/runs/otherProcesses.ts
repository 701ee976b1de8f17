import { MINUTE_MS, SECOND_MS } from '../../../service/basics/times';

/** How many tasks in a row a process starts that nobody else has started, until it takes itself to be alone. */
const ALONE_AFTER = 3;

/** For how long another process is expected to go on. */
const NOT_ALONE_MS = 10 * MINUTE_MS;

/** How long a task is left to others by a process that does not know of any, at most. */
const FIRST_STAND_BACK_MS = 5 * SECOND_MS;

/** How much longer a task is left to others each time that they were faster, at least and at most. */
const STEP_MS = { least: 2 * SECOND_MS, most: 10 * SECOND_MS };

/** How long a task is left to others at most: no two processes have the same limit. */
const LONGEST_STAND_BACK_MS = { least: 15 * SECOND_MS, most: 25 * SECOND_MS };

/** The pause after a task that nobody else has started, and after one that somebody has, at most. */
const PAUSE_MS = { own: 2 * SECOND_MS, others: 100 };

interface Timed {
	task: { time: number };
}

interface Terms {
	now: () => number;
	random: () => number;
}

/**
 * Keeps out of the way of other processes that start runs for the same tasks, as in a rolling update of n8n.
 *
 * n8n refuses the second run of a task, unless both are asked for within a few milliseconds: while the first is stored
 * and not begun, it is replaced, and goes on all the same. So processes that share tasks must not start the same one at
 * the same time. The one that was slower leaves each task to the other one for some seconds, and only then tries it.
 */
export class OtherProcesses {
	private readonly beganAt: number;

	private readonly longestStandBackMs: number;

	/** How long to leave a task to another process that was met (ms); 0 if none was. */
	private standBackMs = 0;

	/** When another process was last seen to be at work (epoch ms). */
	private metAt = -Infinity;

	/** How many tasks this process has started since another one was faster. */
	private ownStarts = 0;

	/** The oldest task that this process has started (epoch ms). */
	private oldestOwn = Infinity;

	/** Until when none is started (epoch ms). */
	private pausedUntil = -Infinity;

	constructor(private readonly terms: Terms) {
		this.beganAt = terms.now();
		this.longestStandBackMs = this.between(LONGEST_STAND_BACK_MS);
	}

	/** How many milliseconds to leave a task that was found now. */
	leaveMs(): number {
		if (this.isAlone) return 0;
		// Hardly ever for a moment only: another one may be alone so far, and start at once.
		return this.standBackMs || Math.sqrt(this.terms.random()) * FIRST_STAND_BACK_MS;
	}

	/** How many milliseconds none is to be started from now on. */
	get pauseMs(): number {
		const left = Math.max(0, this.pausedUntil - this.terms.now());
		// A clock that went back must not make it hours.
		return this.isAlone || left > PAUSE_MS.own ? 0 : left;
	}

	/** Which of these to start now: the oldest, unless another process goes by their age as well. */
	choose<T extends Timed>(due: Iterable<T>): T | undefined {
		if (this.pauseMs > 0) return undefined;
		if (this.isAlone || this.standBackMs === 0) return oldest(due);
		const any = [...due];
		return any[Math.floor(this.terms.random() * any.length)];
	}

	/** A task is about to be started. */
	noteStart(): void {
		this.pause(PAUSE_MS.own);
	}

	/** This process was the first to start it. */
	noteOwn({ task }: Timed): void {
		this.ownStarts++;
		this.oldestOwn = Math.min(this.oldestOwn, task.time);
	}

	/** Somebody has started it before. */
	noteRefused({ task }: Timed): void {
		const wasAlone = this.isAlone;
		this.ownStarts = 0;
		this.pause(PAUSE_MS.others);
		// A process that has ended since may have started what is older.
		if (!wasAlone && task.time < Math.min(this.beganAt, this.oldestOwn)) return;
		this.metAt = this.terms.now();
		const longer = this.standBackMs + this.between(STEP_MS);
		this.standBackMs = Math.min(longer, this.longestStandBackMs);
	}

	private get isAlone(): boolean {
		return this.ownStarts >= ALONE_AFTER && Math.abs(this.terms.now() - this.metAt) >= NOT_ALONE_MS;
	}

	private pause(mostMs: number): void {
		this.pausedUntil = this.terms.now() + this.terms.random() * mostMs;
	}

	private between({ least, most }: { least: number; most: number }): number {
		return least + this.terms.random() * (most - least);
	}
}

/** Makes no list: one answer may bring thousands of tasks, and each run looks for the next. */
function oldest<T extends Timed>(due: Iterable<T>): T | undefined {
	let first: T | undefined;
	for (const each of due) if (!first || each.task.time < first.task.time) first = each;
	return first;
}
