import { withoutSecrets } from './redaction';

/** What is short enough to be read in an error, in characters. */
export const LONGEST_TEXT = 300;

/** One line of the service's text, without markup and secrets, fit to be shown. */
export function plainText(
	value: unknown,
	secrets: string[],
	longest = LONGEST_TEXT,
): string | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const line = withoutSecrets(String(value), secrets)
		.replace(/<[^>]*>/g, ' ')
		.replace(/\s+/g, ' ')
		.trim();
	return line.slice(0, longest) || undefined;
}
