import uniqBy from 'lodash/uniqBy';
import type { IDataObject, IExecuteFunctions, ILoadOptionsFunctions } from 'n8n-workflow';

import { Agency } from '../../../service/inventory/agency';
import { agencyKey, agencyRefOf, toAgencyRef } from '../../../service/inventory/agencyRef';
import { INVENTORY_INTEGRATION } from '../../../service/inventory/integration';
import { CREDENTIAL_LABELS } from '../../../service/labels';
import { Session } from '../../../service/session';
import type { RetryLimits } from '../../../service/http/retry';
import { FieldError } from '../fieldError';
import type { FieldLabel } from '../labels';
import { isEmpty, readCollection, readIds, readRetryLimits, readSearched } from '../readers';

/** The options of an item. */
export interface InventoryOptions {
	limits: RetryLimits;
	/** The agency to read instead of the credential's. */
	agencyRef?: string;
}

/** @throws FieldError */
export function readOptions(value: unknown): InventoryOptions {
	const options = readCollection('Options', value);
	const limits = readRetryLimits(options);
	if (!('agencyRef' in options)) return { limits };
	return { limits, agencyRef: readAgencyRef(CREDENTIAL_LABELS.agencyRef, options.agencyRef) };
}

/**
 * Reads an AgencyRef. An empty one is refused, because the node would otherwise return the properties of the
 * credential's agency as those of the agency that was meant.
 *
 * @throws FieldError
 */
function readAgencyRef(field: FieldLabel, value: unknown): string {
	const agencyRef = toAgencyRef(readSearched(field, value, AS_SENT));
	if (agencyRef?.includes('{{') === false) return agencyRef;
	throw new FieldError(field, 'contains characters that are not allowed', AS_SENT);
}

const AS_SENT =
	'Enter it exactly as the operator sent it: one line of letters, digits and plain symbols. If it is an expression, choose Expression beside the field. To use the agency of the credential, remove this option.';

/**
 * Those of the option “AgencyRefs” of the trigger, each once; none if it is the credential's own.
 *
 * @throws FieldError
 */
export function readAgencyRefs({ agencyRefs }: IDataObject): string[] {
	if (isEmpty(agencyRefs)) return [];
	const label = 'AgencyRefs';
	const read = readIds(label, agencyRefs).map((each) => readAgencyRef(label, each));
	return uniqBy(read, agencyKey);
}

/**
 * The agency that an item asks.
 *
 * @throws FieldError for a bad option, ServiceError if the credential is incomplete
 */
export async function agencyFor(context: IExecuteFunctions, itemIndex: number): Promise<Agency> {
	const options = readOptions(context.getNodeParameter('options', itemIndex, {}));
	return await agencyBy(context, options, itemIndex);
}

/** @throws ServiceError if the credential is incomplete */
export async function agencyBy(
	context: IExecuteFunctions | ILoadOptionsFunctions,
	{ limits, agencyRef }: InventoryOptions,
	itemIndex = 0,
): Promise<Agency> {
	const { credentialType } = INVENTORY_INTEGRATION;
	const credentials = await context.getCredentials(credentialType, itemIndex);
	const session = new Session(context, INVENTORY_INTEGRATION, credentials, limits);
	return new Agency(session, agencyRef ?? agencyRefOf(credentials));
}
