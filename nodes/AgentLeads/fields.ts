import type { INodeProperties } from 'n8n-workflow';

import { getManyOf } from '../common/fields/list';
import { LEAD_FIELDS } from '../common/leads/simplifyLead';
import { toolDescription, UP_TO_LIMIT } from '../common/tool/fields';
import type { OutputFields } from '../common/tool/output';

export const LEAD_OUTPUT: OutputFields = {
	all: LEAD_FIELDS,
	forModel: [...LEAD_FIELDS.slice(0, 9), 'id'],
};

function toolFor(resource: string, who: string): INodeProperties {
	const what = `Gets the newest enquiries from ${who}, kept for 30 days${UP_TO_LIMIT}`;
	return toolDescription(what, LEAD_OUTPUT.forModel, { resource: [resource] });
}

/** The fields “Resource” and “Operation”. */
export const leadsOperationFields: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		default: 'applicantLead',
		description: 'The kind of lead',
		options: [
			{
				name: 'Applicant Lead',
				value: 'applicantLead',
				description: 'A person who wants to buy or rent',
			},
			{
				name: 'Appraisal Lead',
				value: 'appraisalLead',
				description: 'An owner who wants a valuation',
			},
		],
	},
	getManyOf(
		'applicantLead',
		'leads',
		'Retrieve a list of applicant leads (people who want to buy or rent) from the last 30 days',
		'Get many applicant leads',
	),
	getManyOf(
		'appraisalLead',
		'leads',
		'Retrieve a list of appraisal leads (owners who want a valuation) from the last 30 days',
		'Get many appraisal leads',
	),
	toolFor('applicantLead', 'people who want to buy or rent'),
	toolFor('appraisalLead', 'owners who want a valuation'),
];
