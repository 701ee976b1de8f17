import { DateTime } from 'luxon';
import type { IExecuteFunctions } from 'n8n-workflow';

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../service/basics/times';
import { RETENTION_MS } from '../../../../service/leads/leads';
import type { TimeWindow } from '../../../../service/leads/windows';
import { FieldError } from '../../../common/fieldError';
import { isEmpty, readTime, wholeNumber } from '../../../common/readers';
import { hintOnce } from '../../../common/hints';
import { quoted } from '../../../common/labels';

const UNITS_MS: Record<string, number> = { minutes: MINUTE_MS, hours: HOUR_MS, days: DAY_MS };

/**
 * The period of an item, cut to what the service still keeps.
 *
 * @returns undefined for the last 24 hours, which the service takes by itself
 * @throws FieldError
 */
export function readPeriod(
	context: IExecuteFunctions,
	parameter: (name: string) => unknown,
): TimeWindow | undefined {
	const now = DateTime.now().startOf('second').toMillis();
	switch (parameter('period')) {
		case 'last24Hours':
			return undefined;
		case 'recent':
			return cutToRetention(context, recentWindow(parameter, now), now);
		case 'range':
			return cutToRetention(context, rangeWindow(context.getTimezone(), parameter, now), now);
		default:
			throw new FieldError('Period', 'is unknown', 'Use last24Hours, recent or range.');
	}
}

function recentWindow(parameter: (name: string) => unknown, now: number): TimeWindow {
	const unit = UNITS_MS[String(parameter('recentUnit'))];
	if (!unit) throw new FieldError('Unit', 'is unknown', 'Use minutes, hours or days.');
	return { from: now - wholeNumber('Amount', parameter('recentAmount'), 1) * unit, to: now };
}

function rangeWindow(zone: string, parameter: (name: string) => unknown, now: number): TimeWindow {
	const from = readTime('From', parameter('from'), zone, 'earliest');
	const isOpen = isEmpty(parameter('to'));
	const to = isOpen ? now : readTime('To', parameter('to'), zone, 'latest');
	if (from > Math.min(to, now)) {
		throw new FieldError(
			'From',
			from > now ? 'is in the future' : `is later than ${quoted('To')}`,
			from > now
				? 'Choose a start in the past. It is in the time zone of the workflow.'
				: 'Choose a start before the end. Both are in the time zone of the workflow.',
		);
	}
	return { from, to: Math.min(to, now) };
}

/** The service keeps leads for 30 days: what lies before is not worth a request. */
function cutToRetention(context: IExecuteFunctions, window: TimeWindow, now: number): TimeWindow {
	const oldest = now - RETENTION_MS;
	if (window.from >= oldest) return window;
	const start = DateTime.fromMillis(oldest, { zone: context.getTimezone() }).toFormat(
		"d LLL yyyy 'at' HH:mm ZZZZ",
	);
	const end = window.to < oldest ? 'and the period ends before that' : 'so the period starts there';
	hintOnce(
		context,
		`The service keeps leads for 30 days: everything before ${start} is gone, ${end}.`,
		'retention',
	);
	return { from: oldest, to: window.to };
}
