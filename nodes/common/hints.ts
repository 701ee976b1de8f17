import type { IExecuteFunctions } from 'n8n-workflow';

/** The hints of each execution: once is enough for all its items. */
const shownIn = new WeakMap<IExecuteFunctions, Set<string>>();

/**
 * Shows a note above the output, once in an execution.
 *
 * @returns whether it is new
 */
export function hintOnce(context: IExecuteFunctions, message: string): boolean {
	const shown = shownIn.get(context) ?? new Set();
	shownIn.set(context, shown);
	if (shown.has(message)) return false;
	shown.add(message);
	context.addExecutionHints({ message, location: 'outputPane' });
	return true;
}

/** As `hintOnce`, and in n8n's log: a workflow that runs by itself has nobody to read its output. */
export function warnOnce(context: IExecuteFunctions, message: string): void {
	if (hintOnce(context, message)) context.logger.warn(`Agent Leads: ${message}`);
}

/** All hints of an execution. */
export function hintsOf(context: IExecuteFunctions): string[] {
	return [...(shownIn.get(context) ?? [])];
}
