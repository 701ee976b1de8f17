import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../../service/basics/values';
import type { LeadType } from '../../service/leads/leads';
import { LEAD_TYPES } from '../../service/leads/leads';

/** By which name in the body the operator sends which lead. */
export type WrapperNames = Record<LeadType, string>;

export interface PushedLead {
	leadType: LeadType;
	lead: IDataObject;
}

/**
 * The lead in the body of a push: `{"applicant":{…}}` or `{"appraisal":{…}}`.
 *
 * @returns undefined if the body holds no lead, or more than one
 */
export function pushedLeadIn(body: unknown, names: WrapperNames): PushedLead | undefined {
	if (!isObject(body)) return undefined;
	const found = LEAD_TYPES.flatMap((leadType) => {
		const lead = body[names[leadType]];
		return isLead(lead) ? [{ leadType, lead }] : [];
	});
	return found.length === 1 ? found[0] : undefined;
}

function isLead(value: unknown): value is IDataObject {
	return isObject(value) && !Array.isArray(value) && Object.keys(value).length > 0;
}
