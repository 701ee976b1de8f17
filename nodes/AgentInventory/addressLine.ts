import type { IDataObject } from 'n8n-workflow';

import { textOf } from '../../service/basics/values';

/** As an address is written: no comma between number and street. */
const PARTS = [['subDwelling'], ['nameNo', 'street'], ['locality'], ['town'], ['postcode']];

/** An address of the inventory in one line; empty if it says nothing. */
export function addressLine(address: IDataObject): string {
	return PARTS.map((names) => joined(' ', names, address))
		.filter(Boolean)
		.join(', ');
}

function joined(separator: string, names: string[], address: IDataObject): string {
	return names
		.map((name) => textOf(address[name]).trim())
		.filter(Boolean)
		.join(separator);
}
