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

/** All hints of an execution. */
export function hintsOf(context: IExecuteFunctions): string[] {
	return [...(shownIn.get(context) ?? [])];
}
