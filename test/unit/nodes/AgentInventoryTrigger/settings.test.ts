import { describe, expect, it } from '@jest/globals';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { readInventorySettings } from '../../../../nodes/AgentInventoryTrigger/settings';
import { FieldError } from '../../../../nodes/common/fieldError';
import { DEFAULT_LIMITS } from '../../../../service/http/retry';

const MINUTE = 60_000;

/** As n8n hands them over where a person has changed nothing. */
const USUAL = {
	events: ['created', 'statusChanged', 'priceChanged'],
	filters: {},
	startFrom: 'activation',
	runs: 'onePerPoll',
	simplify: true,
	options: {},
};

function settingsOf(parameters: IDataObject = {}) {
	const given: IDataObject = { ...USUAL, ...parameters };
	const context = {
		getNodeParameter: (name: string, fallback: unknown) => given[name] ?? fallback,
		getTimezone: () => 'Europe/London',
	};
	return readInventorySettings(context as unknown as IPollFunctions);
}

describe('the settings', () => {
	it('are those of a node that was not changed', () => {
		expect(settingsOf()).toEqual({
			events: ['created', 'statusChanged', 'priceChanged'],
			query: {},
			agencyRefs: [],
			limits: { ...DEFAULT_LIMITS, maxWaitMs: 10_000 },
			lookBackMs: 60 * MINUTE,
			startFrom: 'activation',
			simplify: true,
			hasOwnRuns: false,
			runAgain: 0,
		});
	});

	it('hold the events once, the most important first', () => {
		const events = ['updated', 'priceChanged', 'created', 'priceChanged'];

		expect(settingsOf({ events }).events).toEqual(['created', 'priceChanged', 'updated']);
		expect(settingsOf({ events: ' updated,created ' }).events).toEqual(['created', 'updated']);
	});

	it('ask the service for all filters but the status', () => {
		const { query, statuses } = settingsOf({
			filters: {
				...{ recordType: 'Sale', category: 'Residential', branchIds: '11, 12' },
				status: ['Reserved', 'onTheMarket', 'Available'],
			},
		});

		expect(query).toEqual({
			recordType: 'Sale',
			categoryType: 'Residential',
			branchIds: ['11', '12'],
		});
		expect(statuses).toEqual([
			...['Reserved', 'Available', 'LetMarketing'],
			...['UnderOfferAvailable', 'UnderOfferMarketing'],
		]);
	});

	it('leave out a filter that the trigger does not have', () => {
		const filters = { archived: true, modifiedFrom: '2026-03-01T00:00:00', ownerId: 3 };

		expect(settingsOf({ filters })).toEqual(settingsOf());
	});

	it.each([
		['text', ' one , two,one'],
		['a list', ['one', 'two', 'one']],
	])('hold the AgencyRefs of %s once, in their order', (_, agencyRefs) => {
		expect(settingsOf({ options: { agencyRefs } }).agencyRefs).toEqual(['one', 'two']);
	});
});

describe('a wrong field', () => {
	it.each<[IDataObject, string]>([
		[{ events: [] }, '“Events” has nothing chosen'],
		[{ events: 'created,,updated' }, '“Events” has nothing chosen'],
		[{ events: ['created', 'sold'] }, '“Events” has an unknown value'],
		[{ startFrom: 'last24Hours' }, '“Start From” is unknown'],
		[{ runs: 'onePerLead' }, '“Runs” is unknown'],
		[{ filters: { status: [] } }, '“Status” has nothing chosen'],
		[{ filters: { status: ['UnderOffer', 'Under offer'] } }, '“Status” has an unknown value'],
		[{ options: { agencyRefs: 'one,,two' } }, '“AgencyRefs” contains an empty ID'],
		[{ options: { agencyRefs: [] } }, '“AgencyRefs” contains an empty ID'],
		[
			{ options: { lookBack: 43_201 } },
			'“Look Back” must be a whole number of at least 1 and at most 43200',
		],
	])('as in %j is refused: %s', (parameters, message) => {
		expect(() => settingsOf(parameters)).toThrow(FieldError);
		expect(() => settingsOf(parameters)).toThrow(message);
	});
});
