import { textOf } from './values';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * Times before this one mean “not set”: for an unset time, the service writes one of the first moments of the year 1 or
 * of 1970.
 */
const EARLIEST_MS = Date.UTC(1971, 0);

/** Matches a date with a time to the minute, to the second or finer, with an offset or none. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/;

/**
 * Reads a time as the service writes it: to the minute, to the second, or with a fraction of a second. A time without
 * an offset is read as UTC, whatever the time zone of this process is.
 *
 * @returns the first moment that the time may mean, in epoch milliseconds; undefined if the value is no time, or
 * means “not set”
 */
export function serviceTime(value: unknown): number | undefined {
	const found = typeof value === 'string' ? TIME.exec(value) : null;
	if (!found) return undefined;
	const [text, offset] = found;
	const time = Date.parse(offset === undefined ? `${text}Z` : text);
	return time > EARLIEST_MS ? time : undefined;
}

/**
 * Reads a time as the last moment that it may mean: without seconds, `09:15` may mean almost `09:16`.
 *
 * @returns epoch milliseconds; undefined if the value is no time, or means “not set”
 */
export function latestServiceTime(value: unknown): number | undefined {
	const time = serviceTime(value);
	if (time === undefined) return undefined;
	const unit = /:\d\d:\d\d/.test(textOf(value)) ? SECOND_MS : MINUTE_MS;
	return Math.floor(time / unit) * unit + unit - 1;
}

/** Rounds a time or a span, in milliseconds, down to whole seconds. */
export function wholeSeconds(ms: number): number {
	return Math.floor(ms / SECOND_MS) * SECOND_MS;
}

/** Rounds a time, in epoch milliseconds, down to whole minutes. */
export function wholeMinutes(ms: number): number {
	return Math.floor(ms / MINUTE_MS) * MINUTE_MS;
}

/** Writes a time as UTC, rounded down to whole seconds: `2006-01-02T15:04:05Z`. */
export function isoSeconds(epochMs: number): string {
	return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
