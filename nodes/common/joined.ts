import { textOf } from '../../service/basics/values';

/** Joins the texts and numbers that are not blank. */
export function joined(separator: string, parts: unknown[]): string {
	const texts = parts.map((part) => textOf(part).trim());
	return texts.filter(Boolean).join(separator);
}
