import { expect, it } from '@jest/globals';

import { changeKeyOf } from '../../../../nodes/AgentInventoryTrigger/changeKey';

const NOON = Date.parse('2026-03-02T12:00:00Z');

const state = (price: number, changes: number, modified = NOON) => ({
	...{ price, status: 'Available', archived: false, rest: 'Xb3_a0' },
	...{ modified, isFresh: false, changes },
});

const keyOf = (from: number, to: number, changes: number, attempt = 1, modified = NOON) => {
	const states = { before: state(from, changes), after: state(to, changes + 1, modified) };
	return changeKeyOf('w1', { agency: 'a1', id: '5017', ...states }, NOON, attempt);
};

it('the key of a change is the same whenever it was modified or read', () => {
	expect(keyOf(1, 2, 0, 1, NOON + 5_000)).toBe(keyOf(1, 2, 0));
});

it('the key of a change is another one for the same change later, for other values, and for another run', () => {
	const keys = [keyOf(1, 2, 0), keyOf(2, 1, 1), keyOf(1, 2, 2), keyOf(1, 3, 0), keyOf(1, 2, 0, 2)];

	expect(new Set(keys).size).toBe(keys.length);
});

it('the key of a change has at most 255 characters, and ends with the property', () => {
	expect(keyOf(1, 2, 0)).toMatch(/^agentInventory:w1:a1:.{1,40}:5017$/);
});

it('a long ID makes the key no longer than n8n’s database takes', () => {
	const states = { before: state(1, 0), after: state(2, 1) };
	const [one, other] = ['1', '2'].map((end) =>
		changeKeyOf(
			'w'.repeat(36),
			{ agency: 'a'.repeat(12), id: `${'x'.repeat(300)}${end}`, ...states },
			NOON,
			6,
		),
	);

	expect(one?.length).toBeLessThanOrEqual(255);
	expect(one).not.toBe(other);
});
