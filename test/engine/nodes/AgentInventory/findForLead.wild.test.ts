import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import omit from 'lodash/omit';
import type { IDataObject } from 'n8n-workflow';

import { uprnText } from '../../../../service/inventory/findForLead';
import { AGENCY, inputOf, InventoryBench } from '../../../lab/engine/inventory';
import { visibleText } from '../../../lab/engine/leads';
import { useBenchInVirtualTime } from '../../../lab/engine/useBench';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import {
	expectNamed,
	expectNamedItem,
	expectNoSecret,
	hasReasonToFail,
	holds,
	isFields,
	lastAnswers,
	listIn,
	PATIENCE_MS,
	renewClient,
	textOf,
	wildSteps,
} from '../../../lab/engine/wild';
import type { WildStep } from '../../../lab/sandbox/wild';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

/** Of leads and products alone. */
const OTHERS = ['arrayOfOne', 'statusErrors', 'highlightKeys', 'otherRedirect', 'unsetTimes'];

interface Plan {
	steps: WildStep[];
	maxTries: number;
	/** By lead: which property it is about, and by what it tells so; beyond the last one there is none. */
	leads: Array<{ property: number; by: Array<'uprn' | 'reference' | 'address'> }>;
}

const PROPERTIES = 5;

const plan: fc.Arbitrary<Plan> = fc.record({
	steps: wildSteps(OTHERS),
	maxTries: fc.integer({ min: 1, max: 4 }),
	leads: fc.array(
		fc.record({
			property: fc.nat(PROPERTIES),
			by: fc.subarray<'uprn' | 'reference' | 'address'>(['uprn', 'reference', 'address']),
		}),
		{ minLength: 1, maxLength: 3 },
	),
});

const bench = useBenchInVirtualTime(InventoryBench);

/** Neighbours in one postcode, told apart by their number and their UPRN. */
function furnish({ steps }: Plan): void {
	bench.sandbox.inventory.fill(AGENCY, PROPERTIES).forEach((property, index) => {
		property.uprn = uprnAt(index);
		Object.assign(property.address, {
			nameNo: `${index + 1}`,
			street: 'Mill Lane',
			postcode: 'ZZ1 2CD',
		});
	});
	renewClient(bench, { integration: 'inventory', agencyRefs: [AGENCY] });
	bench.sandbox.wild.plan(steps);
}

const uprnAt = (index: number) => `99000000000${index + 1}`;

function leadOf({ property, by }: Plan['leads'][number]): IDataObject {
	const { id = '999999999' } = bench.sandbox.inventory.of(AGENCY)[property] ?? {};
	return {
		uprn: by.includes('uprn') ? Number(uprnAt(property)) : null,
		listingReference: by.includes('reference') ? id : null,
		propertyAddress: by.includes('address') ? `${property + 1} Mill Lane, ZZ1 2CD` : null,
	};
}

/** What the service told of properties, whichever request it answered. */
function toldRecords(): IDataObject[] {
	return lastAnswers(bench).flatMap(({ value }) =>
		isFields(value) && 'items' in value ? listIn(value, 'items') : isFields(value) ? [value] : [],
	);
}

const withoutId = (record: IDataObject) => omit(record, 'id');

function expectOwn(json: IDataObject, lead: IDataObject): void {
	const { matchedBy, matchCount, ...record } = json;
	if (matchedBy === null) {
		expect(record).toEqual({});
		return;
	}
	expect(matchCount).toBeGreaterThan(0);
	// A record that comes without an ID has the one that it was asked for by.
	expect(toldRecords().map(withoutId)).toContainEqual(withoutId(record));
	const ids: unknown[] = bench.sandbox.inventory.of(AGENCY).map(({ id }) => id);
	expect(ids).toContain(textOf(record.id));
	const own = uprnText(lead.uprn);
	if (own !== '') expect(['', own]).toContain(uprnText(record.uprn));
	if (matchedBy === 'uprn') expect(uprnText(record.uprn)).toBe(own);
	if (matchedBy === 'reference') expect(textOf(record.id)).toBe(lead.listingReference);
	if (matchedBy === 'address') expect(record.address).toMatchObject({ street: 'Mill Lane' });
}

describe('Find for Lead', () => {
	it(
		'gives one item for each lead: its property, none, or why nobody knows',
		async () => {
			await holds('Agent Inventory, Find for Lead', bench, plan, async (each) => {
				furnish(each);
				const leads = each.leads.map(leadOf);
				const result = await bench.run(
					{ operation: 'findForLead', options: { maxTries: each.maxTries, maxWait: 60 } },
					{ input: inputOf(leads), onError: 'continueRegularOutput' },
				);
				expectNoSecret(bench, [visibleText(result)]);
				if (result.error) {
					expectNamed(result);
					expect(hasReasonToFail(bench)).toBe(true);
					return;
				}
				expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual(
					leads.map((_, item) => ({ item })),
				);
				result.items.forEach(({ json }, index) => {
					if (json.error === undefined) return expectOwn(json, leads[index] ?? {});
					expectNamedItem(json);
					expect(hasReasonToFail(bench)).toBe(true);
				});
			});
		},
		PATIENCE_MS,
	);
});
