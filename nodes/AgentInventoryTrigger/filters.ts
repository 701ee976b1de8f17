import { FILTERS } from '../common/inventory/filters';

/** The filters of Agent Inventory that the trigger has as well. The trigger asks for times and archived properties itself. */
const SHARED = ['recordType', 'category', 'branchIds', 'status'];

/** The filters of a property that has changed. */
export const TRIGGER_FILTERS = FILTERS.filter.filter(({ field }) => SHARED.includes(field.name));
