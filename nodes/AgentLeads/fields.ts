import type { INodeProperties } from 'n8n-workflow';

import type { LeadType } from '../../service/leads/leads';
import { LEAD_TYPES } from '../../service/leads/leads';
import { getManyOf } from '../common/fields/list';
import { LEAD_TYPE_OPTIONS } from '../common/leads/fields';
import { LEAD_FIELDS } from '../common/leads/simplifyLead';
import { toolDescription, UP_TO_LIMIT } from '../common/tool/fields';
import { modelFields } from '../common/tool/output';

const WHO: Record<LeadType, string> = {
	applicant: 'people who want to buy or rent',
	appraisal: 'owners who want a valuation',
};

/** The type of lead for each value of the field “Resource”. */
export const LEAD_TYPE_OF = Object.fromEntries(LEAD_TYPES.map((type) => [`${type}Lead`, type]));

/** The fields “Resource” and “Operation”. */
export const leadsOperationFields: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		default: 'applicantLead',
		description: 'The type of lead',
		options: LEAD_TYPES.map((type) => {
			const { name, description } = LEAD_TYPE_OPTIONS[type];
			return { name, value: `${type}Lead`, description };
		}),
	},
	...LEAD_TYPES.map((type) =>
		getManyOf(
			`${type}Lead`,
			'leads',
			`Retrieve a list of ${type} leads (${WHO[type]}) from the last 30 days`,
			`Get many ${type} leads`,
		),
	),
	...LEAD_TYPES.map((type) =>
		toolDescription(
			`Gets the newest enquiries from ${WHO[type]}, kept for 30 days${UP_TO_LIMIT}`,
			modelFields(LEAD_FIELDS),
			{ resource: [`${type}Lead`] },
		),
	),
];
