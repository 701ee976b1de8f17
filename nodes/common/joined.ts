import { textOf } from '../../service/basics/values';

/** Joins texts and numbers with a separator. Blank texts and values of other types are left out. */
export function joined(separator: string, parts: unknown[]): string {
	const texts = parts.map((part) => textOf(part).trim());
	return texts.filter(Boolean).join(separator);
}
