import type { IExecuteFunctions } from 'n8n-workflow';

/** What each execution was told, by its topic: once is enough for all its items. */
const told = new WeakMap<IExecuteFunctions, Map<string, string>>();

/** Shows a note above the output, once in an execution; older n8n versions show none. */
export function hintOnce(context: IExecuteFunctions, message: string, topic = message): void {
	const topics = told.get(context) ?? new Map<string, string>();
	told.set(context, topics);
	if (topics.has(topic)) return;
	topics.set(topic, message);
	context.addExecutionHints?.({ message, location: 'outputPane' });
}

/** As `hintOnce`, and in n8n's log: a workflow that runs by itself has nobody to read its output. */
export function warnOnce(context: IExecuteFunctions, message: string): void {
	if (!told.get(context)?.has(message)) context.logger.warn(`Agent Leads: ${message}`);
	hintOnce(context, message);
}

/** All that an execution was told. */
export function hintsOf(context: IExecuteFunctions): string[] {
	return [...(told.get(context)?.values() ?? [])];
}
