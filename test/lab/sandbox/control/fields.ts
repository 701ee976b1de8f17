import { isRecord } from '../../values';

/** What somebody has sent to the control surface. */
export type Input = Record<string, unknown>;

/** @throws Error that names the known ones, if there is another one */
export function requireOnly(input: Input, known: readonly string[], what = 'field'): void {
	const unknown = Object.keys(input).find((name) => !known.includes(name));
	if (unknown === undefined) return;
	const list = known.length === 0 ? 'there are none' : `known are ${known.join(', ')}`;
	throw new Error(`unknown ${what} ${JSON.stringify(unknown)}; ${list}`);
}

/** @throws Error that names the known ones, if it is none of them */
export function oneOf<const T extends string>(input: Input, name: string, known: readonly T[]): T {
	const value = input[name];
	const found = known.find((each) => each === value);
	if (found !== undefined) return found;
	throw new Error(`${name} is one of ${known.join(', ')}; not ${JSON.stringify(value)}`);
}

export function text(input: Input, name: string): string {
	const value = input[name];
	if (typeof value !== 'string') throw new Error(`${name} is a string`);
	return value;
}

/** A form sends it as text. */
export function whole(input: Input, name: string): number {
	const value = input[name];
	const number = typeof value === 'string' && value !== '' ? Number(value) : value;
	if (typeof number === 'number' && Number.isInteger(number)) return number;
	throw new Error(`${name} is an integer`);
}

export function texts(input: Input, name: string): string[] {
	const value = input[name];
	if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
	throw new Error(`${name} is a list of strings`);
}

export function record(input: Input, name: string): Input {
	const value = input[name] ?? {};
	if (isRecord(value)) return value;
	throw new Error(`${name} is an object`);
}
