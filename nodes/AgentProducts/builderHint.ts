import type { IBuilderHint } from 'n8n-workflow';

import { outputHints } from '../common/outputHint';
import premiumOrder from './__schema__/v1.0.0/premiumListing/activate.json';
import premium from './__schema__/v1.0.0/premiumListing/get.json';
import changedPremium from './__schema__/v1.0.0/premiumListing/updateHighlights.json';
import weeklyOrder from './__schema__/v1.0.0/weeklyFeaturedProperty/activate.json';
import weekly from './__schema__/v1.0.0/weeklyFeaturedProperty/get.json';

/** Said where a builder chooses the node and where it sets the operation: it may read only one of them. */
const SPENDING =
	'Spends a credit of the agency for each listing. Put the approval of a person before it, such as a Form page and an If; never let a model or the text of a lead decide.';

const OUTCOMES =
	'outcome: activated, scheduled or pending if this run ordered; alreadyActive, alreadyPending or alreadyScheduled if not.';

export const productsBuilderHint: IBuilderHint = {
	searchHint: `activate: ${SPENDING} get and getAll only read.`,
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-base.form',
			relationHint: 'Asks a person to approve an order before activate',
		},
	],
	extraTypeDefContent: [
		{
			content: `@builderHint ${SPENDING}\n${OUTCOMES}`,
			displayOptions: { show: { operation: ['activate'] } },
		},
		...outputHints(
			{
				premiumListing: {
					activate: premiumOrder,
					get: premium,
					getAll: premium,
					updateHighlights: changedPremium,
				},
				weeklyFeaturedProperty: { activate: weeklyOrder, get: weekly, getAll: weekly },
			},
			['Only listingId is always there.'],
		),
	],
};
