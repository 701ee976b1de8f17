/** What a person asks an assistant for, and what the assistant searches for to find the nodes of this package. */
export interface Request {
	example: string;
	sentence: string;
	searches: readonly string[];
}

/**
 * One for each example. n8n's search for models finds our nodes by the words of estate agents, such as “portal” and
 * “valuation”, and not by “lead” alone.
 */
export const REQUESTS: readonly Request[] = [
	{
		example: 'new-leads-to-crm.json',
		sentence:
			'Send every new lead from the property portal to our CRM, once, even if the CRM is down for a while.',
		searches: ['new lead', 'portal lead'],
	},
	{
		example: 'appraisal-to-negotiator.json',
		sentence:
			'Email each new valuation request of our estate agency to the negotiator of its branch.',
		searches: ['valuation', 'estate agency'],
	},
	{
		example: 'lead-with-property.json',
		sentence:
			'Tell our team chat about each property enquiry, with what our inventory knows of the property.',
		searches: ['property enquiry', 'property search'],
	},
	{
		example: 'daily-lead-summary.json',
		sentence: 'Email me every morning how many property leads each branch had yesterday.',
		searches: ['property lead', 'branch'],
	},
	{
		example: 'backfill-leads-to-table.json',
		sentence: 'Keep the real estate leads of the last 30 days, and all new ones, in a table.',
		searches: ['real estate leads'],
	},
	{
		example: 'promote-listing.json',
		sentence: 'Make a form with which colleagues promote a listing once someone has approved it.',
		searches: ['promote listing'],
	},
	{
		example: 'price-drop-to-applicants.json',
		sentence:
			'When the price of one of our properties for sale falls, email the applicants whose search it fits.',
		searches: ['price reduction', 'applicants'],
	},
	{
		example: 'instant-lead-response.json',
		sentence:
			'Answer each new enquiry from the portal at once, and email it to the sales or lettings desk of its branch.',
		searches: ['new enquiry', 'lettings'],
	},
];
