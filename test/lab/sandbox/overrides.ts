import { isRecord } from '../values';

/** Merged into a record; of objects, only the fields named here change. */
export type Overrides = Record<string, unknown>;

/** @returns a copy; lists are replaced, not merged */
export function merged<T extends object>(target: T, overrides: Overrides): T {
	const copy = { ...target };
	for (const [name, value] of Object.entries(overrides)) {
		const before: unknown = Reflect.get(target, name);
		const both = isRecord(before) && isRecord(value);
		Object.assign(copy, { [name]: both ? merged(before, value) : value });
	}
	return copy;
}
