import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { branchChoices } from '../common/inventory/branchChoices';
import { readOptions } from '../common/inventory/readers';

export async function getBranches(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await branchChoices(this, readOptions);
}
