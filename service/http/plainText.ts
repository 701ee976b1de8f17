import { CUT, withoutSecrets } from './redaction';

/** What is short enough to be read in an error, in characters. */
export const LONGEST_TEXT = 300;

/** Shorter letters occur by chance where one word ends and the next begins. */
const SHORTEST_IN_PIECES = 8;

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
	if (holdsPieces(line, secrets)) return CUT;
	return line.slice(0, longest) || undefined;
}

/** Whether a secret stands there in pieces, as if wrapped to the next line, or with a tag in it. */
function holdsPieces(line: string, secrets: string[]): boolean {
	const joined = withoutGaps(line);
	const long = secrets.map(withoutGaps).filter(({ length }) => length >= SHORTEST_IN_PIECES);
	return withoutSecrets(joined, long) !== joined;
}

function withoutGaps(text: string): string {
	return text.replace(/[\s\p{Cf}]+/gu, '');
}
