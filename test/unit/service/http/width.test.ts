import { describe, expect, it } from '@jest/globals';

import { Width } from '../../../../service/http/width';

/** Departs as many as may be under way at once. */
const round = (width: Width) =>
	Array.from({ length: width.most }, (_, underWay) => width.depart(underWay));

/** Rounds that go well. */
function grow(width: Width, rounds: number): Width {
	for (let each = 0; each < rounds; each++) {
		for (const departure of round(width)) width.grow(departure);
	}
	return width;
}

describe('how many requests may be under way at once', () => {
	it('is 4, and one more after each round in which all places were taken, up to 16', () => {
		expect(new Width().most).toBe(4);
		expect(grow(new Width(), 1).most).toBe(5);
		expect(grow(new Width(), 12).most).toBe(16);
		expect(grow(new Width(), 20).most).toBe(16);
	});

	it('is still to be learned while it is less than 16', () => {
		expect(grow(new Width(), 11).isLearning).toBe(true);
		expect(grow(new Width(), 12).isLearning).toBe(false);
	});

	it('stays if there were free places, or if a round is not over', () => {
		const idle = new Width();
		for (let each = 0; each < 20; each++) idle.grow(idle.depart(0));
		const begun = new Width();
		const [, , , last] = round(begun);
		if (last) begun.grow(last);

		expect([idle.most, begun.most]).toEqual([4, 4]);
	});

	it('is half once for all that departed before that was known, and one at least', () => {
		const width = new Width();
		const departures = round(width);
		for (const departure of departures) width.halveAfter(departure);
		const halved = width.most;
		for (const departure of departures) width.grow(departure);

		expect([halved, width.most]).toEqual([2, 2]);
		width.halveAfter(width.depart(0));
		width.halveAfter(width.depart(0));
		expect(width.most).toBe(1);
	});

	it('is counted anew after it was halved', () => {
		const width = grow(new Width(), 1);
		const [first, ...others] = round(width);
		for (const departure of others) width.grow(departure);
		if (first) width.halveAfter(first);

		const [one, two] = round(width);
		if (one) width.grow(one);
		expect(width.most).toBe(2);
		if (two) width.grow(two);
		expect(width.most).toBe(3);
	});

	it('tells a departure that takes the last place, and counts them all', () => {
		const width = new Width();

		expect([width.depart(2), width.depart(3), width.depart(9)]).toEqual([
			{ number: 1, isLast: false },
			{ number: 2, isLast: true },
			{ number: 3, isLast: true },
		]);
		expect(width.departures).toBe(3);
	});
});
