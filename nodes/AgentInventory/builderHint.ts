import type { IBuilderHint } from 'n8n-workflow';

import { outputHints } from '../common/outputHint';
import branch from './__schema__/v1.0.0/branch/getAll.json';
import negotiator from './__schema__/v1.0.0/negotiator/getAll.json';
import propertyOfLead from './__schema__/v1.0.0/property/findForLead.json';
import property from './__schema__/v1.0.0/property/get.json';

export const inventoryBuilderHint: IBuilderHint = {
	searchHint:
		'Only reads. For the property that a lead is about use findForLead right after the node that delivers the lead, with its fields at their defaults; matchedBy is null if none fits. Rows of search and getAll lack price, bedrooms, owner and negotiator unless options.wholeRecords is true.',
	extraTypeDefContent: outputHints({
		property: {
			findForLead: propertyOfLead,
			get: property,
			getAll: property,
			search: property,
		},
		branch: { getAll: branch },
		negotiator: { getAll: negotiator },
	}),
};
