import { expect } from '@jest/globals';

/**
 * A pattern in place of a text stands for whatever text it matches. Jest itself takes any value for equal to a pattern
 * in `toMatchObject`, since a pattern has no fields of its own.
 */
function matchesPattern(received: unknown, expected: unknown): boolean | undefined {
	if (!(expected instanceof RegExp) || received instanceof RegExp) return undefined;
	return typeof received === 'string' && expected.test(received);
}

expect.addEqualityTesters([matchesPattern]);
