import { textOf } from '../../service/basics/values';

/** The texts and numbers that are not blank, as one text. */
export function joined(separator: string, parts: unknown[]): string {
	const texts = parts.map((part) => textOf(part).trim());
	return texts.filter(Boolean).join(separator);
}
