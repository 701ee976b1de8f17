import { IANAZone } from 'luxon';

import { remembered } from '../../../../service/basics/remembered';
import { MINUTE_MS } from '../../../../service/basics/times';
import { isObject } from '../../../../service/basics/values';
import { momentOf } from '../../../../service/leads/leads';

const UK_ZONE = 'Europe/London';

/**
 * When somebody would like to view, by the clocks of the UK: `Thu 5 Mar 2026, 10:00–12:30`, several with
 * `; ` between them. A time that is not set is left out.
 */
export function viewingTimesUk(times: unknown): string | null {
	if (!Array.isArray(times) || times.length === 0) return null;
	return times.map(inWords).filter(Boolean).join('; ') || null;
}

function inWords(viewing: unknown): string {
	if (!isObject(viewing)) return '';
	const [from, to] = [ukTime(viewing.earliest), ukTime(viewing.latest)];
	if (!from || !to) return from ? `from ${from.whole}` : to ? `until ${to.whole}` : '';
	if (from.day !== to.day) return `${from.whole} – ${to.whole}`;
	return from.clock === to.clock ? from.whole : `${from.whole}–${to.clock}`;
}

/** Remembered, since asking a zone takes long, and people wish for the same few hours of the next days. */
const ukTime = remembered(1_000, (time: unknown) => {
	const moment = momentOf(time);
	if (moment === undefined) return null;
	// Not made as the module loads: the first zone of a process takes milliseconds.
	const offset = IANAZone.create(UK_ZONE).offset(moment);
	const local = new Date(moment + offset * MINUTE_MS);
	// “Thu, 05 Mar 2026 10:00:00 GMT”, whatever language this process speaks.
	const [weekday = '', date, month, year, clock = ''] = local.toUTCString().split(' ');
	const day = `${weekday.slice(0, -1)} ${Number(date)} ${month} ${year}`;
	return { day, clock: clock.slice(0, 5), whole: `${day}, ${clock.slice(0, 5)}` };
});
