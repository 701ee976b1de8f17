import type { IExecuteFunctions } from 'n8n-workflow';

/** The hints of each execution. Each hint is shown once for all items. */
const shownIn = new WeakMap<IExecuteFunctions, Set<string>>();

/**
 * Shows a note above the output, once in an execution.
 *
 * @returns true if the note is new
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
