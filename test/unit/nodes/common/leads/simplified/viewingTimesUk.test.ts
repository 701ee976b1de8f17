import { describe, expect, it } from '@jest/globals';

import { viewingTimesUk } from '../../../../../../nodes/common/leads/simplified/viewingTimesUk';

const UNSET = '0001-01-01T00:00Z';

describe('viewing times by the clocks of the UK', () => {
	it.each([
		['in winter', '2026-03-05T10:00:00Z', '2026-03-05T12:30Z', 'Thu 5 Mar 2026, 10:00–12:30'],
		['in summer', '2026-07-05T23:30Z', '2026-07-06T01:00Z', 'Mon 6 Jul 2026, 00:30–02:00'],
		[
			'over a change of the clocks',
			'2026-03-28T22:00Z',
			'2026-03-29T10:00Z',
			'Sat 28 Mar 2026, 22:00 – Sun 29 Mar 2026, 11:00',
		],
		['with an offset', '2026-03-05T10:00+02:00', UNSET, 'from Thu 5 Mar 2026, 08:00'],
		['without a beginning', UNSET, '2026-03-05T10:00Z', 'until Thu 5 Mar 2026, 10:00'],
		['at one moment', '2026-03-05T10:00Z', '2026-03-05T10:00Z', 'Thu 5 Mar 2026, 10:00'],
	])('%s', (_, earliest, latest, text) => {
		expect(viewingTimesUk([{ earliest, latest }])).toBe(text);
	});

	it('are all there, but for those that are not set', () => {
		const times = [
			{ earliest: '2026-03-05T10:00Z' },
			{ earliest: UNSET, latest: UNSET },
			{},
			null,
			{ latest: '2026-03-06T10:00Z' },
		];

		expect(viewingTimesUk(times)).toBe('from Thu 5 Mar 2026, 10:00; until Fri 6 Mar 2026, 10:00');
	});

	it.each([[undefined], [null], [[]], ['2026-03-05'], [[{ earliest: 'soon' }]], [{}]])(
		'are null for %p',
		(times) => {
			expect(viewingTimesUk(times)).toBeNull();
		},
	);
});
