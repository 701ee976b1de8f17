import type { FieldLabel } from './labels';
import { quoted } from './labels';

/** An error in a field: it names the field and the correct form of its value. No request was sent yet. */
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

	/** A copy with a further sentence for a person. */
	withNote(note: string): FieldError {
		return new FieldError(this.field, this.problem, `${this.advice} ${note}`);
	}
}

/** A value as advice shows it. */
export function shown(value: unknown): string {
	if (value === undefined || value === null || value === '') return 'empty';
	return JSON.stringify(value) ?? 'empty';
}
