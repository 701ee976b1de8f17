export function strings(values: unknown[]): string[] {
	return values.filter((value) => typeof value === 'string');
}
