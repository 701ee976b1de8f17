import mapValues from 'lodash/mapValues';
import type { IDataObject } from 'n8n-workflow';

import { isoSeconds } from '../../service/basics/times';
import { progressFormat } from '../common/polling/progressFormat';
import type { AnyProgress } from '../common/polling/taskTracker';
import { storedObject, storedTime } from '../common/storedValues';
import type { DeliveredLeads } from './deliveredLeads';
import { readDelivered } from './deliveredLeads';
import type { TargetProgress } from './targetProgress';

/** The progress of one Agent Leads Trigger, which n8n stores. */
export interface Progress extends AnyProgress {
	/** How far each target has been read, by the target's name, such as `appraisal · branch NORTH`. */
	targets: Map<string, TargetProgress>;
	delivered: DeliveredLeads;
}

type Kept = Pick<Progress, 'targets' | 'delivered'>;

export const PROGRESS_FORMAT = progressFormat(
	{ targets: {}, delivered: {} },
	({ targets, delivered }): Kept => ({
		targets: new Map(Object.entries(mapValues(storedObject(targets), readTarget))),
		delivered: readDelivered(storedObject(delivered)),
	}),
	({ targets, delivered }) => ({
		targets: mapValues(Object.fromEntries(targets), writeTarget),
		delivered: delivered.stored,
	}),
);

function readTarget(stored: unknown): TargetProgress {
	const { watermark, start } = storedObject(stored);
	return { watermark: storedTime(watermark), start: storedTime(start) };
}

function writeTarget({ watermark, start }: TargetProgress): IDataObject {
	return { watermark: isoSeconds(watermark), start: isoSeconds(start) };
}
