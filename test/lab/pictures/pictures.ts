/** What can be seen on a picture of docs/images, and so makes it old when it changes. */
export interface Pictured {
	/** Nodes whose panel is shown, by their name. */
	panels?: string[];
	/** Nodes that the search lists. */
	searched?: string[];
	/** Credentials whose form is shown. */
	forms?: string[];
	/** Whether it shows what a person reads after a refusal. */
	refusal?: boolean;
	/** The file of the workflow that is shown; its sticky notes are not. */
	example?: string;
}

/** Every picture, by the name of its file. */
export const PICTURES = {
	'lead-arrives': { example: 'new-leads-to-crm.json', panels: ['agentLeadsTrigger'] },
	'agent-leads-node': { panels: ['agentLeads'] },
	'agent-leads-trigger-node': { panels: ['agentLeadsTrigger'] },
	'agent-leads-push-trigger-node': { panels: ['agentLeadsPushTrigger'] },
	'agent-inventory-node': { panels: ['agentInventory'] },
	'agent-inventory-trigger-node': { panels: ['agentInventoryTrigger'] },
	'agent-products-node': { panels: ['agentProducts'] },
	'node-error': { refusal: true },
	'node-panel': {
		searched: ['agentInventory', 'agentLeads', 'agentLeadsPushTrigger', 'agentProducts'],
	},
	credential: { forms: ['agentLeadsApi'] },
	'credential-openpgp': { forms: ['agentLeadsApi'] },
	publish: { example: 'new-leads-to-crm.json' },
	published: { panels: ['agentLeadsTrigger'] },
	'new-leads-workflow': { example: 'new-leads-to-crm.json' },
	'appraisal-to-negotiator-workflow': { example: 'appraisal-to-negotiator.json' },
	'lead-with-property-workflow': { example: 'lead-with-property.json' },
	'instant-lead-response-workflow': { example: 'instant-lead-response.json' },
	'price-drop-to-applicants-workflow': { example: 'price-drop-to-applicants.json' },
	'daily-lead-summary-workflow': { example: 'daily-lead-summary.json' },
	'promote-listing-workflow': { example: 'promote-listing.json' },
	'backfill-leads-workflow': { example: 'backfill-leads-to-table.json' },
} satisfies Record<string, Pictured>;

export type PictureName = keyof typeof PICTURES;

export function isPictureName(name: string): name is PictureName {
	return name in PICTURES;
}

export const PICTURE_NAMES = Object.keys(PICTURES).filter(isPictureName);
