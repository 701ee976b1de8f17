import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../../../../../service/basics/values';
import { RunsHost } from '../../../../lab/polling/runsHost';
import { MINUTE } from '../../../../lab/polling/leadsModel';

let host: RunsHost;

beforeEach(() => {
	jest.restoreAllMocks();
	jest.spyOn(Math, 'random').mockReturnValue(0);
});

afterEach(async () => {
	await host.unpublish();
});

const pass = (ms: number) => {
	const now = Date.now();
	jest.spyOn(Date, 'now').mockReturnValue(now + ms);
};

const contactIn = ({ last }: RunsHost) => {
	const contact = last.items[0]?.json.contact;
	if (!isObject(contact)) throw new Error('The lead has a contact');
	return contact;
};

describe('a node of the workflow that changes what is inside of a lead', () => {
	it('changes nothing for the next run of that lead', async () => {
		host = new RunsHost({ runAgain: 1 });
		const createdAt = new Date(Date.now() - MINUTE).toISOString();
		host.leads = [{ id: 'a', createdAt, contact: { email: 'a@example.com' } }];
		await host.publish();
		contactIn(host).email = 'changed';
		await host.last.end('error');

		pass(2 * MINUTE);
		await host.tick();

		expect(host.runs).toHaveLength(2);
		expect(contactIn(host)).toEqual({ email: 'a@example.com' });
	});
});

describe('a lead that is nested too deeply to be copied', () => {
	it('holds up no other one', async () => {
		host = new RunsHost();
		const createdAt = new Date(Date.now() - MINUTE).toISOString();
		const contact = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`) as IDataObject;
		host.leads = [
			{ id: 'deep', createdAt, contact },
			{ id: 'flat', createdAt },
		];

		await host.publish();

		expect(host.ids).toEqual(['flat']);
	});
});
