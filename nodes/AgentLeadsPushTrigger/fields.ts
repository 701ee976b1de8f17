import type { INodeProperties } from 'n8n-workflow';

import { LEAD_TYPES, type LeadType } from '../../service/leads/leads';
import { optionsField } from '../common/fields/options';
import { leadTypesField, simplifyField } from '../common/leads/fields';

/** The options that name the field of the pushed body that contains the lead, for each type of lead. */
export const WRAPPER_OPTIONS = {
	applicant: { displayName: 'Applicant Field Name', name: 'applicantKey' },
	appraisal: { displayName: 'Appraisal Field Name', name: 'appraisalKey' },
} as const;

const wrapperOption = (leadType: LeadType): INodeProperties => ({
	...WRAPPER_OPTIONS[leadType],
	type: 'string',
	default: leadType,
	description: `The name of the field that holds an ${leadType} lead in the pushed body`,
});

export const pushFields: INodeProperties[] = [
	leadTypesField,
	simplifyField,
	optionsField(LEAD_TYPES.map(wrapperOption), 'the field names that the operator uses'),
];
