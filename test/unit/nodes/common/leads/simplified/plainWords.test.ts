import { describe, expect, it } from '@jest/globals';

import { plainWords } from '../../../../../../nodes/common/leads/simplified/plainWords';

describe('plain words', () => {
	const words = (value: unknown) => plainWords(/^CONSUMER_SITUATION_/, value);

	it.each([
		['CONSUMER_SITUATION_FIRST_TIME_BUYER', 'First time buyer'],
		['CONSUMER_SITUATION_NEW_7', 'New 7'],
		['CONSUMER_SITUATION_UNSPECIFIED', null],
		['UNSPECIFIED', null],
		['', null],
		[null, null],
		[7, null],
	])('say %p as %p', (value, said) => {
		expect(words(value)).toBe(said);
	});

	it.each(['NEW_VALUE', 'OTHER_LIST_NEW_VALUE', 'First time', 'CONSUMER_SITUATION_odd one'])(
		'leave as it is what the list does not have by its rule: %s',
		(value) => {
			expect(words(value)).toBe(value);
		},
	);
});
