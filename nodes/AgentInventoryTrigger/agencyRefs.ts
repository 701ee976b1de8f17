import uniqBy from 'lodash/uniqBy';
import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { agencyKey } from '../../service/inventory/agencyRef';
import { branchChoices } from '../common/inventory/choices';
import type { InventoryOptions } from '../common/inventory/readers';
import { readAgencyRef } from '../common/inventory/readers';
import { isEmpty, readIds, readRetryLimits } from '../common/readers';

const LABEL = 'AgencyRefs';

/**
 * The agencies that the options name; none if it is the credential’s own.
 *
 * @throws FieldError
 */
export function readAgencyRefs({ agencyRefs }: IDataObject): string[] {
	if (isEmpty(agencyRefs)) return [];
	const read = readIds(LABEL, agencyRefs).map((each) => readAgencyRef(LABEL, each));
	return uniqBy(read, agencyKey);
}

/** The branches of the first agency. */
export async function getBranchesOfFirst(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	return await branchChoices(this, readFirst);
}

function readFirst(options: IDataObject): InventoryOptions {
	const [agencyRef] = readAgencyRefs(options);
	return { limits: readRetryLimits(options), agencyRef };
}
