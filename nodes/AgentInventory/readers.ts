import type { IExecuteFunctions, ILoadOptionsFunctions } from 'n8n-workflow';

import { Agency } from '../../service/inventory/agency';
import { agencyRefOf, toAgencyRef } from '../../service/inventory/agencyRef';
import { INVENTORY_INTEGRATION } from '../../service/inventory/integration';
import { Session } from '../../service/session';
import type { RetryLimits } from '../../service/session';
import { FieldError, isEmpty, readCollection, readLimits } from '../common/readers';

/** What the options of an item say. */
export interface InventoryOptions {
	limits: RetryLimits;
	/** Instead of the credential's. */
	agencyRef?: string;
}

/** @throws FieldError */
export function readOptions(value: unknown): InventoryOptions {
	const options = readCollection('Options', value);
	const limits = readLimits(options);
	if (isEmpty(options.agencyRef)) return { limits };
	const agencyRef = toAgencyRef(options.agencyRef);
	if (agencyRef !== undefined) return { limits, agencyRef };
	throw new FieldError(
		'AgencyRef',
		'holds characters that it cannot have',
		'It is one line of plain letters, digits and signs, as the operator gave it to you.',
	);
}

/** @throws ServiceError when the credential is incomplete */
export async function agencyFor(
	context: IExecuteFunctions | ILoadOptionsFunctions,
	{ limits, agencyRef }: InventoryOptions,
	itemIndex: number,
): Promise<Agency> {
	const { credentialType } = INVENTORY_INTEGRATION;
	const credentials = await context.getCredentials(credentialType, itemIndex);
	const session = new Session(context, INVENTORY_INTEGRATION, credentials, limits);
	return new Agency(session, agencyRef ?? agencyRefOf(credentials));
}
