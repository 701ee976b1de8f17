import once from 'lodash/once';

import { serviceTime } from '../../../../service/basics/times';
import { isObject } from '../../../../service/basics/values';

/**
 * Writes the times at which a person would like to view a property, in UK time: `Thu 5 Mar 2026, 10:00–12:30`. Several
 * times are separated by `; `. A time that is not set is left out.
 */
export function viewingTimesUk(times: unknown): string | null {
	if (!Array.isArray(times)) return null;
	return times.map(viewingTime).filter(Boolean).join('; ') || null;
}

function viewingTime(viewing: unknown): string {
	if (!isObject(viewing)) return '';
	const [from, to] = [ukTime(viewing.earliest), ukTime(viewing.latest)];
	if (!from || !to) return from ? `from ${from.whole}` : to ? `until ${to.whole}` : '';
	if (from.day !== to.day) return `${from.whole} – ${to.whole}`;
	return from.clock === to.clock ? from.whole : `${from.whole}–${to.clock}`;
}

/** Returns the format of a time in the UK. It is made once, because making it takes much longer than using it. */
const ukFormat = once(
	() =>
		new Intl.DateTimeFormat('en-US', {
			...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
			...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'Europe/London' },
		}),
);

function ukTime(time: unknown) {
	const moment = serviceTime(time);
	if (moment === undefined) return undefined;
	const parts = ukFormat().formatToParts(moment);
	const of = (wanted: string) => parts.find(({ type }) => type === wanted)?.value;
	const day = ['weekday', 'day', 'month', 'year'].map(of).join(' ');
	const clock = `${of('hour')}:${of('minute')}`;
	return { day, clock, whole: `${day}, ${clock}` };
}
