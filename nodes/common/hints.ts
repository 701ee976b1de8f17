import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * The hints that each execution of a node has shown. A hint is shown only once, even if it applies to several items.
 */
const shownIn = new WeakMap<IExecuteFunctions, Set<string>>();

/**
 * Shows a note above the node's output, but only once in an execution.
 *
 * @returns true if the note was not shown before
 */
export function hintOnce(context: IExecuteFunctions, message: string): boolean {
	const shown = shownIn.get(context) ?? new Set();
	shownIn.set(context, shown);
	if (shown.has(message)) return false;
	shown.add(message);
	context.addExecutionHints({ message, location: 'outputPane' });
	return true;
}

/** Returns all hints that an execution has shown. */
export function hintsOf(context: IExecuteFunctions): string[] {
	return [...(shownIn.get(context) ?? [])];
}
