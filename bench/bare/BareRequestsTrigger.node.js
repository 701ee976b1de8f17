// @ts-check
// The least that a trigger can do for the same answers: n8n's own helper, called once for each branch and type. n8n loads
// it in the benchmark alone.

/** As Agent Leads Trigger has them. */
const AT_ONCE = 4;
const LOOK_BACK_MS = 3_600_000;

class BareRequestsTrigger {
	/** @type {import('n8n-workflow').INodeTypeDescription} */
	description = {
		displayName: 'Bare Requests Trigger',
		name: 'bareRequestsTrigger',
		group: ['trigger'],
		version: 1,
		description: 'Asks for leads and does nothing with them',
		defaults: { name: 'Bare Requests Trigger' },
		polling: true,
		inputs: [],
		outputs: ['main'],
		credentials: [{ name: 'agentLeadsApi', required: true }],
		properties: [{ displayName: 'Branches', name: 'branches', type: 'string', default: '' }],
	};

	/** @this {import('n8n-workflow').IPollFunctions} */
	async poll() {
		const data = await this.getCredentials('agentLeadsApi');
		// Read once: the helper would read them from the database for each request.
		const credentialsDecrypted = { id: '', name: '', type: 'agentLeadsApi', data };
		const now = Date.now();
		const branches = String(this.getNodeParameter('branches')).split(',');
		const due = ['applicant', 'appraisal'].flatMap((type) =>
			branches.map((branch) => ({
				url: `${String(data.leadsUrl)}/${type}-leads`,
				qs: {
					'from-time': seconds(now - LOOK_BACK_MS),
					'to-time': seconds(now),
					'branch-id': branch,
				},
				json: true,
			})),
		);
		const lane = async () => {
			for (let options = due.shift(); options; options = due.shift())
				await this.helpers.httpRequestWithAuthentication.call(this, 'agentLeadsApi', options, {
					credentialsDecrypted,
				});
		};
		await Promise.all(Array.from({ length: AT_ONCE }, lane));
		return null;
	}
}

/** @param {number} ms */
function seconds(ms) {
	return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

module.exports = { BareRequestsTrigger };
