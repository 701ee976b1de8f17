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

/** The node's options for one input item. */
export interface InventoryOptions {
	limits: RetryLimits;
	/**
	 * The AgencyRef (the service's reference for an agency) of the agency to read; unset to read the agency of the
	 * credential.
	 */
	agencyRef?: string;
}

/**
 * Reads the node's options for one input item.
 *
 * @throws FieldError
 */
export function readOptions(value: unknown): InventoryOptions {
	const options = readCollection('Options', value);
	const limits = readRetryLimits(options);
	if (!('agencyRef' in options)) return { limits };
	return { limits, agencyRef: readAgencyRef(CREDENTIAL_LABELS.agencyRef, options.agencyRef) };
}

/**
 * Reads an AgencyRef, that is the service's reference for an agency. An empty one is refused: the node would otherwise
 * read the agency of the credential, although the person meant another one.
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
 * Reads the trigger's option “AgencyRefs”, and returns each AgencyRef (the service's reference for an agency) once. The
 * list is empty if the trigger uses the agency of the credential.
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
 * Makes the client that reads the agency that the options of an input item name, or the agency of the credential.
 *
 * @throws FieldError for an invalid option, ServiceError if the credential is incomplete
 */
export async function agencyFor(context: IExecuteFunctions, itemIndex: number): Promise<Agency> {
	const options = readOptions(context.getNodeParameter('options', itemIndex, {}));
	return await agencyBy(context, options, itemIndex);
}

/**
 * Makes the client that reads the data of an agency.
 *
 * @throws ServiceError if the credential is incomplete
 */
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
