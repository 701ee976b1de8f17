import type { Door, Values } from './http';
import { call } from './http';

export type FilterQuestion = Values;

const ask = (operationId: string) => (door: Door, values?: Values) =>
	call(door, operationId, values);

export const findByAddress = ask('findByAddress');
export const search = ask('search');
export const filter = ask('filter');
export const listBranches = ask('listBranches');
export const listNegotiators = ask('listNegotiators');

export const getItem = (door: Door, inventoryId: string) => call(door, 'getItem', { inventoryId });

export const getItems = (door: Door, ids: string[]) =>
	call(door, 'getItems', { 'inventory-id': ids });
