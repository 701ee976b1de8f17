import { isRecord } from '../../values';
import type { ProductsBehaviour } from '../products';
import type { Input } from './fields';
import { oneOf, texts, whole } from './fields';

type Readers = { [K in keyof ProductsBehaviour]: (input: Input) => ProductsBehaviour[K] };

const READERS: Readers = {
	settleAfterGets: (input) => wholeOrNull(input, 'settleAfterGets'),
	settleAfterMs: (input) => wholeOrNull(input, 'settleAfterMs'),
	result: (input) => oneOf(input, 'result', ['ACTIVATED', 'SCHEDULED', 'ERROR']),
	errors: (input) => list(input, 'errors').map(readError),
	errorsAs: (input) => oneOf(input, 'errorsAs', ['array', 'object']),
	updateResult: (input) => oneOf(input, 'updateResult', ['done', 'failed']),
	updateAnswer: (input) => oneOf(input, 'updateAnswer', ['object', 'array']),
	duplicates: (input) => oneOf(input, 'duplicates', ['redirect', 'refuse', 'accept']),
	location: (input) => oneOf(input, 'location', ['published', 'full']),
	times: (input) => oneOf(input, 'times', ['seconds', 'nanoseconds', 'offset']),
	unknownListings: (input) => texts(input, 'unknownListings'),
	refusedListings: (input) =>
		list(input, 'refusedListings').map((listing) => whole({ listing }, 'listing')),
};

export const BEHAVIOUR_FIELDS = Object.keys(READERS);

/** @param input has no other fields than these */
export function parseBehaviour(input: Input): Partial<ProductsBehaviour> {
	const named = Object.entries(READERS).filter(([name]) => name in input);
	return Object.fromEntries(named.map(([name, read]) => [name, read(input)]));
}

function wholeOrNull(input: Input, name: string): number | null {
	return input[name] === null ? null : whole(input, name);
}

function list(input: Input, name: string): unknown[] {
	const value = input[name];
	if (Array.isArray(value)) return value;
	throw new Error(`${name} is a list`);
}

function readError(value: unknown): { reason: string; code: number } {
	if (isRecord(value) && typeof value.reason === 'string') {
		return { reason: value.reason, code: whole(value, 'code') };
	}
	throw new Error('an error is an object of reason and code');
}
