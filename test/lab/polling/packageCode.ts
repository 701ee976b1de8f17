import { jest } from '@jest/globals';
import mapValues from 'lodash/mapValues';
import maxBy from 'lodash/maxBy';
import sortBy from 'lodash/sortBy';
import * as luxon from 'luxon';
import * as n8nWorkflow from 'n8n-workflow';

import type { beginRuns, pollLeads } from '../../../nodes/AgentLeadsTrigger/poll';
import type { Agenda } from './agenda';

/** What is asked of the package's code. */
interface PackageCode {
	pollLeads: typeof pollLeads;
	beginRuns: typeof beginRuns;
}

/** So many processes share the code before it is loaded anew: it remembers something of each workflow. */
const MOST_PROCESSES = 500;

let code: PackageCode | undefined;
let processes = 0;
let agenda: Agenda | undefined;

/** From here on the package sleeps by this agenda. */
export function sleepBy(next: Agenda): void {
	agenda = next;
}

/** The code for one more process, and a number that no process before had. */
export async function codeOfProcess(): Promise<{ code: PackageCode; number: number }> {
	if (!code || processes % MOST_PROCESSES === 0) code = await load();
	return { code, number: ++processes };
}

async function load(): Promise<PackageCode> {
	let loaded: PackageCode | undefined;
	await jest.isolateModulesAsync(async () => {
		jest.doMock('n8n-workflow', () => ({ ...n8nWorkflow, sleep: sleepOfPackage }));
		jest.doMock('luxon', () => luxon);
		jest.doMock('lodash/mapValues', () => mapValues);
		jest.doMock('lodash/maxBy', () => maxBy);
		jest.doMock('lodash/sortBy', () => sortBy);
		loaded = await import('../../../nodes/AgentLeadsTrigger/poll');
	});
	if (!loaded) throw new Error('Nothing was loaded');
	return loaded;
}

/** In place of n8n's `sleep`. */
async function sleepOfPackage(ms: number): Promise<void> {
	await new Promise<void>((resolve) => agenda?.in(ms, resolve));
}
