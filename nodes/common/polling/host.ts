import type { IPollFunctions } from 'n8n-workflow';

/** The budget that n8n names if it sets no limit of its own. */
const UNLIMITED_BUDGET_MS = 300_000;

/** Contexts that have polled: n8n's scheduler keeps one for all polls of an active workflow. */
const polled = new WeakSet<IPollFunctions>();

/** Whether a person tests the node in the editor. */
export function isManual(context: IPollFunctions): boolean {
	return context.getMode() === 'manual';
}

/**
 * Whether this is the poll with which n8n tries a trigger out while it activates a workflow: the
 * first one of its context. Ask once for each poll. Hosts with durable cursors make a context for
 * each later poll, and give it a limit of time.
 */
export function claimActivation(context: IPollFunctions): boolean {
	if (polled.has(context)) return false;
	polled.add(context);
	return (budgetOf(context) ?? UNLIMITED_BUDGET_MS) === UNLIMITED_BUDGET_MS;
}

/** The milliseconds that the host gives a poll, if it says so. */
export function budgetOf(
	context: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>,
): number | undefined {
	return context.getPollBudgetMs?.();
}

/** Reports a failed execution, which also starts the error workflow; not every host can do so. */
export async function emitError(context: IPollFunctions, error: Error): Promise<void> {
	try {
		await Promise.resolve(context.__emitError(error));
	} catch {
		// What the poll found is delivered even if the host cannot take a report.
	}
}

/**
 * Whether n8n keeps progress for each poll by itself (durable cursors): what a poll writes counts only if n8n
 * is told so before the poll ends.
 */
export function isDurable(context: IPollFunctions): boolean {
	return (budgetOf(context) ?? UNLIMITED_BUDGET_MS) !== UNLIMITED_BUDGET_MS;
}

/** Stores what a poll has written so far, if the host can; elsewhere the next run that is started stores it. */
export async function commit(context: IPollFunctions): Promise<void> {
	await context.__commitCursor?.();
}
