// @ts-check
// The least that a node can do for leads: n8n's own helper asks for the same pages, and each lead becomes an item. n8n loads
// it in the benchmark alone.

/** As many requests at a time as Agent Leads begins with. */
const AT_ONCE = 4;

class BareLeads {
	/** @type {import('n8n-workflow').INodeTypeDescription} */
	description = {
		displayName: 'Bare Leads',
		name: 'bareLeads',
		group: ['input'],
		version: 1,
		description: 'Asks for leads and returns them',
		defaults: { name: 'Bare Leads' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'agentLeadsApi', required: true }],
		properties: [{ displayName: 'Pages', name: 'pages', type: 'json', default: '[]' }],
	};

	/** @this {import('n8n-workflow').IExecuteFunctions} */
	async execute() {
		/** @type {string[]} */
		const urls = JSON.parse(String(this.getNodeParameter('pages', 0)));
		/** @type {import('n8n-workflow').INodeExecutionData[]} */
		const items = [];
		const lane = async () => {
			for (let url = urls.shift(); url; url = urls.shift()) {
				/** @type {{ applicants: import('n8n-workflow').IDataObject[] }} */
				const answer = await this.helpers.httpRequestWithAuthentication.call(
					this,
					'agentLeadsApi',
					{ url, json: true },
				);
				for (const json of answer.applicants) items.push({ json, pairedItem: { item: 0 } });
			}
		};
		await Promise.all(Array.from({ length: AT_ONCE }, lane));
		return [items];
	}
}

module.exports = { BareLeads };
