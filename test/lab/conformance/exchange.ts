export interface Request {
	/** In capitals. */
	method: string;
	/** Below the base address, as it is sent: encoded, without the query; of a token request it is not looked at. */
	path: string;
	/** Names and values in their order, decoded. */
	query: Iterable<[string, string]>;
	/** Names in any case. */
	headers: Record<string, string | string[] | undefined>;
	body: string;
}

export interface Answer {
	status: number;
	/** Names in any case. */
	headers: Record<string, string | string[] | undefined>;
	body: string;
}

export function jsonProblems(text: string, check: (value: unknown) => string[]): string[] {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return ['body: no JSON'];
	}
	return check(value).map((problem) => `body: ${problem}`);
}

export function header(
	headers: Record<string, string | string[] | undefined>,
	wanted: string,
): string | undefined {
	const found = Object.entries(headers).find(
		([name]) => name.toLowerCase() === wanted.toLowerCase(),
	);
	const value = found?.[1];
	return Array.isArray(value) ? value.join(', ') : value;
}

/** @returns without its parameters, in lower case */
export function mediaType(contentType: string | undefined): string {
	return (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}
