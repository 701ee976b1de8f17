/** By the host's clock (epoch ms), and by the process's own (`performance.now`). */
interface Moment {
	host: number;
	process: number;
}

/** When the workflow was published with each of its targets, as far as this process knows: Start From counts from then. */
export class Publication {
	private latest = momentBefore(0);

	private isKnown = false;

	/** By target: the publication that it begins with, until the service has answered for it. */
	private unanswered = new Map<string, Moment>();

	/** The workflow is published, or n8n starts it again. */
	note(): void {
		this.latest = momentBefore(0);
		this.isKnown = true;
	}

	/**
	 * This process polls a workflow that was published before it began.
	 *
	 * @param atMostMs how long before, as far as that counts
	 */
	guess(atMostMs: number): void {
		if (!this.isKnown) this.latest = momentBefore(atMostMs);
		this.isKnown = true;
	}

	/** The service has not answered for these targets yet: a later publication does not have them begin later. */
	keep(targets: string[]): void {
		this.unanswered = new Map(targets.map((key) => [key, this.of(key)]));
	}

	/** How long ago the workflow was published with a target that the service has not answered for (ms). */
	agoMs(target: string): number {
		const { host, process } = this.of(target);
		// The host's clock may be set back, and the process's stands still while the machine sleeps.
		return Math.max(Date.now() - host, performance.now() - process);
	}

	private of(target: string): Moment {
		return this.unanswered.get(target) ?? this.latest;
	}
}

function momentBefore(ms: number): Moment {
	return { host: Date.now() - ms, process: performance.now() - ms };
}
