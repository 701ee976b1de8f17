import type { INodeProperties } from 'n8n-workflow';

import { LEAD_TYPES } from '../../service/leads/lead';
import { optionsField } from '../common/fields/options';
import { simplifyField } from '../common/leads/fields';

export const pushFields: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'leadTypes',
		type: 'multiOptions',
		required: true,
		default: [...LEAD_TYPES],
		description: 'Which leads start the workflow',
		options: [
			{ name: 'Applicant Lead', value: 'applicant', action: 'On pushed applicant lead' },
			{ name: 'Appraisal Lead', value: 'appraisal', action: 'On pushed appraisal lead' },
		],
	},
	simplifyField,
	optionsField([
		{
			displayName: 'Applicant Key',
			name: 'applicantKey',
			type: 'string',
			default: 'applicant',
			description: 'The name in the pushed body under which an applicant lead comes',
		},
		{
			displayName: 'Appraisal Key',
			name: 'appraisalKey',
			type: 'string',
			default: 'appraisal',
			description: 'The name in the pushed body under which an appraisal lead comes',
		},
	]),
];
