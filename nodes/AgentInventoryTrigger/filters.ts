import { FILTERS } from '../common/inventory/filters';

/**
 * The filters that Agent Inventory and this trigger have in common. The trigger has no filters for times or archived
 * properties, because it sets those parameters itself.
 */
const SHARED = ['recordType', 'category', 'branchIds', 'status'];

/** The filters that limit which properties the trigger watches. */
export const TRIGGER_FILTERS = FILTERS.filter.filter(({ field }) => SHARED.includes(field.name));
