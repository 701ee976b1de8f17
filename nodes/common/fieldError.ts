import type { FieldLabel } from './labels';
import { quoted } from './labels';

/**
 * An error in a field of the node. It names the field and the correct form of the value. It is thrown before any
 * request is sent.
 */
export class FieldError extends Error {
	override readonly name = 'FieldError';

	readonly code = 'field';

	constructor(
		private readonly field: FieldLabel,
		private readonly problem: string,
		readonly advice: string,
	) {
		super(`${quoted(field)} ${problem}`);
	}

	/** Makes a copy of the error with one more sentence of advice. */
	withNote(note: string): FieldError {
		return new FieldError(this.field, this.problem, `${this.advice} ${note}`);
	}
}

/** Writes the value of a field in the form in which the advice of an error shows it. */
export function shown(value: unknown): string {
	if (value === undefined || value === null || value === '') return 'empty';
	return JSON.stringify(value) ?? 'empty';
}
