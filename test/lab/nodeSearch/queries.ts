/** Queries that should lead to the same nodes. */
export interface Subject {
	title: string;
	/** Names of our nodes, any of which will do; none if n8n has better ones. */
	nodes: readonly string[];
	queries: readonly string[];
}

const TRIGGERS = ['agentLeadsTrigger', 'agentLeadsPushTrigger'];
const LEADS = ['agentLeads', ...TRIGGERS];
const INVENTORY = ['agentInventory'];
const PRODUCTS = ['agentProducts'];

/** What estate agents, and those who build for them, call what our nodes are about. */
export const OURS: readonly Subject[] = [
	{
		title: 'Any of the nodes',
		nodes: [...LEADS, ...INVENTORY, ...PRODUCTS],
		queries: [
			'estate agent',
			'estate agency',
			'real estate',
			'letting agent',
			'lettings',
			'property',
			'realtor',
		],
	},
	{
		title: 'A new lead',
		nodes: TRIGGERS,
		queries: [
			'new lead',
			'lead trigger',
			'leads trigger',
			'new enquiry',
			'property lead trigger',
			'push lead',
		],
	},
	{
		title: 'Leads',
		nodes: LEADS,
		queries: [
			'lead',
			'leads',
			'CRM lead',
			'real estate CRM',
			'portal lead',
			'property lead',
			'real estate leads',
			'enquiry',
			'enquiries',
			'inquiry',
			'portal enquiry',
			'property enquiry',
			'property portal',
			'applicant',
			'buyer',
			'seller',
			'vendor',
			'tenant',
			'landlord',
			'viewing',
			'valuation',
			'property valuation',
			'appraisal',
			'market appraisal',
		],
	},
	{
		title: 'Properties, branches and negotiators',
		nodes: INVENTORY,
		queries: [
			'property search',
			'properties',
			'listing',
			'listings',
			'house',
			'rental',
			'postcode',
			'UPRN',
			'branch',
			'negotiator',
		],
	},
	{
		title: 'Listings that are promoted',
		nodes: PRODUCTS,
		queries: [
			'premium listing',
			'featured property',
			'weekly featured property',
			'promote listing',
			'boost listing',
			'upgrade listing',
			'property advert',
		],
	},
];

/** What other nodes are for. */
export const NOT_OURS: Subject = {
	title: 'Not ours',
	nodes: [],
	queries: [
		'agent',
		'AI agent',
		'airtable',
		'calendar',
		'chat',
		'code',
		'credit card',
		'crm',
		'date',
		'edit fields',
		'email',
		'error trigger',
		'evaluation',
		'excel',
		'filter',
		'form',
		'ftp',
		'gmail',
		'google sheets',
		'http request',
		'hubspot',
		'if',
		'invoice',
		'loop',
		'merge',
		'notion',
		'openai',
		'outlook',
		'payment',
		'pdf',
		'pipedrive',
		'postgres',
		'push notification',
		'salesforce',
		'schedule',
		'schedule trigger',
		'search',
		'send email',
		'set',
		'slack',
		'spreadsheet',
		'summarize',
		'switch',
		'telegram',
		'trigger',
		'wait',
		'webhook',
		'whatsapp',
	],
};
