import { FILTERS } from '../common/inventory/filters';

/**
 * The filters of the node Agent Inventory that Agent Inventory Trigger has too. The trigger has no filters for times or
 * archived properties, because it sets the query parameters for these itself.
 */
const SHARED = ['recordType', 'category', 'branchIds', 'status'];

/** The filters that limit which properties the trigger watches. */
export const TRIGGER_FILTERS = FILTERS.filter.filter(({ field }) => SHARED.includes(field.name));
