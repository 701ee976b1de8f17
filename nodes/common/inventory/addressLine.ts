import type { IDataObject } from 'n8n-workflow';

import { textOf } from '../../../service/basics/values';

/** As an address is written: no comma between number and street. */
const LINES = [['subDwelling'], ['nameNo', 'street'], ['locality'], ['town'], ['postcode']];

/** An address of the inventory in one line; empty if it says nothing. */
export function addressLine(address: IDataObject): string {
	const lines = LINES.map((parts) =>
		parts
			.map((part) => textOf(address[part]).trim())
			.filter(Boolean)
			.join(' '),
	);
	return lines.filter(Boolean).join(', ');
}
