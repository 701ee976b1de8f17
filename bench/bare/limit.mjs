// @ts-check
// The least that plain Node.js can do for the same leads: undici on connections that stay open, JSON.parse, and an item
// for each lead. It repeats nothing, and neither checks, sorts nor shapes a lead. The benchmark runs it on n8n's Node.js.
import { request } from 'undici';

/** @type {import('../lib/limit.js').Work} */
const { authUrl, leadsUrl, clientId, clientSecret, urls, runs } = JSON.parse(process.argv[2] ?? '');

const AT_ONCE = 4;
/** @type {Record<string, string>} */
const headers = {};

async function authorize() {
	const { body } = await request(`${authUrl}/oauth2/token`, {
		method: 'POST',
		headers: { 'content-type': 'application/x-www-form-urlencoded' },
		body: new URLSearchParams({
			grant_type: 'client_credentials',
			client_id: clientId,
			client_secret: clientSecret,
			audience: leadsUrl,
		}).toString(),
	});
	/** @type {any} */
	const { access_token: token } = JSON.parse(await body.text());
	headers.authorization = `Bearer ${token}`;
}

async function work() {
	if (!headers.authorization) await authorize();
	const due = [...urls];
	/** @type {object[]} */
	const items = [];
	const lane = async () => {
		for (let url = due.shift(); url; url = due.shift()) {
			const { body } = await request(url, { headers });
			/** @type {Record<string, object[]>} */
			const answer = JSON.parse(await body.text());
			for (const json of Object.values(answer)[0] ?? [])
				items.push({ json, pairedItem: { item: 0 } });
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, lane));
	return items.length;
}

/** @type {import('../lib/limit.js').Limit[]} */
const limits = [];
for (let run = 0; run < runs; run++) {
	const startedAt = performance.now();
	const items = await work();
	limits.push({ ms: performance.now() - startedAt, items });
}
console.log(JSON.stringify(limits));
