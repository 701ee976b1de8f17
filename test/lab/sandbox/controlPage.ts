import { choice, escaped, table } from './html';
import type { Sandbox } from './index';
import { propertySection } from './propertySection';
import { pushSection } from './push/pushSection';

/**
 * @param base the path of the control surface
 * @returns a page for people
 */
export function controlPage(
	sandbox: Sandbox,
	base: string,
	actions: { name: string; takes: string }[],
): string {
	const { clients, ...addresses } = sandbox.addresses();
	const now = new Date(sandbox.now()).toISOString();
	return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Sandbox service</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
td,th{text-align:left;padding:.1rem 1rem .1rem 0;vertical-align:top}pre{background:#8882;padding:1rem;overflow:auto}</style>
</head><body>
<script>
const send = async (method, name, input) => {
	const answer = await fetch('${base}/' + name, { method, body: JSON.stringify(input) });
	if (answer.ok) location.reload();
	else alert((await answer.json()).message);
};
const onSubmit = (id, act) => document.getElementById(id).addEventListener('submit', (event) => {
	event.preventDefault();
	act(Object.fromEntries([...new FormData(event.target)].filter(([, value]) => value !== '')));
});
</script>
<h1>Sandbox service</h1>
<p>A stand-in for the real service, with invented data. Its clock says ${now}.</p>
<h2>Addresses</h2>${table(Object.entries(addresses))}
<h2>Clients</h2>${table(clients.map((each) => [each.clientId, `${each.integration}${each.revoked ? ', revoked' : ''}`]))}
<h2>Leads</h2>${table([
		['applicant', String(sandbox.leads.count('applicant'))],
		['appraisal', String(sandbox.leads.count('appraisal'))],
	])}
${pushSection(sandbox.pushes, base)}
${propertySection(sandbox.inventory)}
${wildSection(sandbox)}
<h2>Counts</h2><pre>${escaped(JSON.stringify(sandbox.counts, null, 2))}</pre>
<h2>Control</h2>${table(
		actions.map(({ name, takes }) => [name, takes]),
		(name) => link(base, name),
	)}
</body></html>
`;
}

/** @returns the switch of the wild mode */
function wildSection({ wild }: Sandbox): string {
	const { isOn, settings = {}, counts } = wild.status();
	const { seed = 1, rate = 0.3, strength = 'misbehaving' } = settings;
	const state = isOn ? `On: ${strength}, seed ${seed}, ${rate} of all requests.` : 'Off.';
	return `<h2>Wild mode</h2>
<p>${state} What the real service may answer and seldom does, or should not: misbehaving is all of it, allowed is what its contract allows.</p>
<form id="wild">
<label>Seed <input name="seed" type="number" value="${seed}"></label>
<label>Share of requests <input name="rate" type="number" min="0" max="1" step="0.05" value="${rate}"></label>
<label>Strength ${choice('strength', ['misbehaving', 'allowed'], strength)}</label>
<button>Switch on</button> <button type="button" id="tame">Switch off</button>
</form>
${table(Object.entries(counts).map(([name, count]) => [name, String(count)]))}
<script>
onSubmit('wild', ({ seed, rate, strength }) =>
	send('POST', 'wild', { seed: Number(seed), rate: Number(rate), strength }));
document.getElementById('tame').addEventListener('click', () => send('DELETE', 'wild'));
</script>`;
}

/** @param name method and path */
function link(base: string, name: string): string {
	const [method, path] = name.split(' ');
	return method === 'GET' ? `GET <a href="${base}/${path}">${path}</a>` : escaped(name);
}
