import pick from 'lodash/pick';
import type { IDataObject } from 'n8n-workflow';

import { propertyJson } from '../common/inventory/simplifyProperty';
import type { PropertyChange } from './compare';

/** What the workflow is given of a change: the property as it is now, and what happened to it. */
export function changeJson(
	{ events, previous, record }: Pick<PropertyChange, 'events' | 'previous' | 'record'>,
	agencyRef: string,
	simplify: boolean,
): IDataObject {
	const [event = null] = events;
	const property = propertyJson(record, simplify);
	const happened = { event, events: [...events], previous: { ...previous }, agencyRef };
	const first = { event, ...pick(property, 'address', 'price') };
	return { ...first, ...happened, ...property, ...happened };
}
