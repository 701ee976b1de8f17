/**
 * When the workflow was published with each of its targets, as far as this process knows: Start From counts from then. By the
 * process's own clock (`performance.now`), which nobody can set.
 */
export class Publication {
	private latest?: number;

	/** By target: the publication that it begins with, until the service has answered for it. */
	private unanswered = new Map<string, number>();

	/** The workflow is published, or n8n starts it again. */
	note(): void {
		this.latest = performance.now();
	}

	/**
	 * This process polls a workflow that was published before it began.
	 *
	 * @param atMostMs how long before, as far as that counts
	 */
	guess(atMostMs: number): void {
		this.latest ??= performance.now() - atMostMs;
	}

	/** The service has not answered for these targets yet: a later publication does not have them begin later. */
	keep(targets: string[]): void {
		this.unanswered = new Map(targets.map((key) => [key, this.of(key)]));
	}

	/** How long ago the workflow was published with a target that the service has not answered for (ms). */
	agoMs(target: string): number {
		return performance.now() - this.of(target);
	}

	private of(target: string): number {
		return this.unanswered.get(target) ?? this.latest ?? performance.now();
	}
}
