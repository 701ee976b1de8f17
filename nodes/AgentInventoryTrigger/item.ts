import pick from 'lodash/pick';
import type { IDataObject } from 'n8n-workflow';

import { propertyJson } from '../common/inventory/simplifyProperty';
import { inWords } from '../common/inventory/statuses';
import type { PropertyChange } from './compare';

/** Makes the item for a change: the property in its current state, the events and the previous values. */
export function changeJson(
	{ events, previous, record }: Pick<PropertyChange, 'events' | 'previous' | 'record'>,
	agencyRef: string,
	simplify: boolean,
): IDataObject {
	const [event = null] = events;
	const property = propertyJson(record, simplify);
	// In a simplified item, the previous status is written in plain words, like the current status.
	const status = simplify && previous.status ? { status: inWords(previous.status) } : {};
	const happened = {
		...{ event, events: [...events] },
		...{ previous: { ...previous, ...status }, agencyRef },
	};
	const first = { event, ...pick(property, 'address', 'price') };
	return { ...first, ...happened, ...property, ...happened };
}
