import type { Door, WireRequest } from './http';
import { get } from './http';

/** Every request says for which agency it asks. */
export interface AgencyDoor extends Door {
	agencyRef: string;
}

/** The page parameters of GET /inventory, and of nothing else. */
export interface AddressQuestion {
	address?: string;
	category?: string;
	recordType?: string;
	archived?: boolean;
	maxResults?: number;
	nextToken?: string;
}

export interface Page {
	'max-results'?: number;
	'next-token'?: string;
}

interface Dated extends Page {
	archived?: boolean;
	recordType?: string;
	branchIds?: string[];
	'created-from'?: Date;
	'created-to'?: Date;
	'modified-from'?: Date;
	'modified-to'?: Date;
}

export interface TextQuestion extends Dated {
	query: string;
}

export interface FilterQuestion extends Dated {
	categoryType?: string;
	managementType?: string;
	'maintenance-type'?: string;
	'inventory-status'?: string;
	'instruction-date-from'?: Date;
	'instruction-date-to'?: Date;
	'owner-id'?: number;
}

export function findByAddress(door: AgencyDoor, question: AddressQuestion): WireRequest {
	return ask(door, '/inventory', question);
}

export function getItem(door: AgencyDoor, inventoryId: string): WireRequest {
	return ask(door, `/inventory/${encodeURIComponent(inventoryId)}`);
}

export function getItems(door: AgencyDoor, inventoryIds: string[]): WireRequest {
	return ask(door, '/inventory/items', { 'inventory-id': inventoryIds });
}

export function search(door: AgencyDoor, question: TextQuestion): WireRequest {
	return ask(door, '/inventory/search', question);
}

export function filter(door: AgencyDoor, question: FilterQuestion): WireRequest {
	return ask(door, '/inventory/filter', question);
}

export function listBranches(
	door: AgencyDoor,
	question: Page & { activeOnly?: boolean } = {},
): WireRequest {
	return ask(door, '/branches', question);
}

export function getBranch(door: AgencyDoor, branchId: string): WireRequest {
	return ask(door, `/branches/${encodeURIComponent(branchId)}`);
}

export function listNegotiators(door: AgencyDoor, question: Page = {}): WireRequest {
	return ask(door, '/negotiators', question);
}

export function getNegotiator(door: AgencyDoor, negotiatorId: number): WireRequest {
	return ask(door, `/negotiators/${negotiatorId}`);
}

/** Which agency and which branches the AgencyRef stands for. */
export function whoAmI(door: AgencyDoor): WireRequest {
	return ask(door, '/partners/integration');
}

function ask(door: AgencyDoor, path: string, question: object = {}): WireRequest {
	return get(door, path, question, { AgencyRef: door.agencyRef });
}
