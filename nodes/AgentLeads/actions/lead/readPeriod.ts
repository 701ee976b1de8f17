import type { IExecuteFunctions } from 'n8n-workflow';

import { DAY_MS, HOUR_MS, MINUTE_MS, wholeSeconds } from '../../../../service/basics/times';
import { RETENTION_MS } from '../../../../service/leads/leads';
import type { TimeWindow } from '../../../../service/leads/windows';
import { FieldError } from '../../../common/fieldError';
import { isBlank, readChoice, readTime, wholeNumber } from '../../../common/readers';
import { hintOnce } from '../../../common/hints';
import { quoted } from '../../../common/labels';

type Parameter = (name: string) => unknown;

/**
 * Reads the period that belongs to one choice of the field “Period”.
 *
 * @returns undefined for the last 24 hours: a request without times gets the leads of that period
 */
type ReadPeriod = (parameter: Parameter, now: number, zone: string) => TimeWindow | undefined;

const PERIODS: Record<string, ReadPeriod> = {
	last24Hours: () => undefined,
	recent: recentWindow,
	range: rangeWindow,
};

const UNITS = { minutes: MINUTE_MS, hours: HOUR_MS, days: DAY_MS };

/**
 * Reads the period of an item, shortened to the time for which the service keeps leads.
 *
 * @throws FieldError
 */
export function readPeriod(
	context: IExecuteFunctions,
	parameter: Parameter,
): TimeWindow | undefined {
	const read = readChoice('Period', parameter('period'), PERIODS);
	const now = wholeSeconds(Date.now());
	const window = read(parameter, now, context.getTimezone());
	const oldest = now - RETENTION_MS;
	if (!window || window.from >= oldest) return window;
	hintOnce(
		context,
		'The service keeps leads for 30 days: the node left out the part of the period before that.',
	);
	return { from: oldest, to: window.to };
}

function recentWindow(parameter: Parameter, now: number): TimeWindow {
	const unit = readChoice('Unit', parameter('recentUnit'), UNITS);
	return { from: now - wholeNumber('Amount', parameter('recentAmount'), 1) * unit, to: now };
}

function rangeWindow(parameter: Parameter, now: number, zone: string): TimeWindow {
	const from = readTime('From', parameter('from'), zone, 'earliest');
	const end = parameter('to');
	const to = isBlank(end) ? now : Math.min(now, readTime('To', end, zone, 'latest'));
	if (from <= to) return { from, to };
	throw new FieldError(
		'From',
		'is later than the end of the period',
		`Choose a start in the past and before ${quoted('To')}. Both are in the time zone of the workflow.`,
	);
}
