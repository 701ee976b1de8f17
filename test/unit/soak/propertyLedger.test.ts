import { expect, it } from '@jest/globals';

import type { PropertyHistory, State } from '../../../soak/agencies';
import { reckon, type Delivery } from '../../../soak/propertyLedger';

const MINUTE = 60_000;
const KEY = 'agency 5001';
const FIRST: State = { price: 300, status: 'Available', archived: false, bathrooms: 1 };
const LOWER: State = { ...FIRST, price: 250 };
const SOLD: State = { ...LOWER, status: 'UnderOffer' };

function history(states: State[], more: Partial<PropertyHistory> = {}): PropertyHistory {
	const moments = states.map((state, index) => ({ at: index * 1_000, state }));
	return { key: KEY, isNew: false, isRemoved: false, moments, ...more };
}

function told(state: State, events: string[], previous: object, execution = '1'): Delivery {
	return { key: KEY, execution, at: 10 * MINUTE, events, previous, state };
}

const LOWERED = told(LOWER, ['priceChanged'], { price: 300 });
const UNDER_OFFER = told(SOLD, ['statusChanged'], { status: 'Available' }, '2');

/** What is wrong, in the order in which it was found. */
function wrong(states: State[], deliveries: Delivery[], more?: Partial<PropertyHistory>): string[] {
	return reckon([history(states, more)], deliveries).findings.map(({ what }) => what);
}

it('finds nothing where each delivery begins where the last one ended', () => {
	expect(wrong([FIRST, LOWER, SOLD], [LOWERED, UNDER_OFFER])).toEqual([]);
	const both = told(SOLD, ['statusChanged', 'priceChanged'], { status: 'Available', price: 300 });
	expect(wrong([FIRST, LOWER, SOLD], [both])).toEqual([]);
	expect(wrong([FIRST, LOWER, FIRST], [])).toEqual([]);
	expect(wrong([LOWER], [told(LOWER, ['created'], {})], { isNew: true })).toEqual([]);
	expect(wrong([FIRST, LOWER], [], { isRemoved: true })).toEqual([]);
	const back = told(FIRST, ['priceChanged'], { price: 250 }, '2');
	const again = { ...LOWERED, execution: '3' };
	expect(wrong([FIRST, LOWER, FIRST, LOWER], [LOWERED, back, again])).toEqual([]);
});

it('finds what was lost', () => {
	expect(wrong([FIRST, LOWER], [])).toEqual(['lost']);
	expect(wrong([FIRST, LOWER, SOLD], [LOWERED])).toEqual(['lost']);
	expect(wrong([FIRST, LOWER, SOLD], [UNDER_OFFER])).toEqual(['lost']);
	expect(wrong([FIRST], [], { isNew: true })).toEqual(['lost']);
});

it('finds a state that stood for long and was never told, although it was undone', () => {
	const moments = [FIRST, LOWER, FIRST].map((state, index) => ({ at: index * 2 * MINUTE, state }));

	expect(wrong([], [], { moments })).toEqual(['lost']);

	const absences = [
		{ from: 2 * MINUTE, to: 2.5 * MINUTE },
		{ from: 3.4 * MINUTE, to: 9 * MINUTE },
	];
	const known = { key: KEY, isNew: false, isRemoved: false, moments };
	expect(reckon([known], [], absences).findings).toEqual([]);
	expect(reckon([known], [], absences.slice(0, 1)).findings).toHaveLength(1);
});

it('finds what came twice, and what was made up', () => {
	expect(wrong([FIRST, LOWER], [LOWERED, { ...LOWERED, execution: '2' }])).toEqual(['doubled']);
	expect(wrong([FIRST], [LOWERED])).toEqual(['made up', 'lost']);
	expect(wrong([FIRST], [{ ...LOWERED, key: 'agency 1' }])).toEqual(['made up']);
	expect(wrong([FIRST, LOWER], [{ ...LOWERED, previous: {} }])).toEqual(['lost']);
});

it('finds changes that share a run', () => {
	const deliveries = [LOWERED, { ...UNDER_OFFER, execution: LOWERED.execution }];
	const { findings } = reckon([history([FIRST, LOWER, SOLD])], deliveries);

	expect(findings.map(({ what }) => what)).toEqual(['shared', 'shared']);
});
