import { ACTIONS } from '../control/actions';
import type { Sandbox } from '../index';
import type { Answer } from '../types';
import { credentialSection } from './credentialSection';
import { escaped, live, moment, table } from './html';
import { propertySection } from './propertySection';
import { pushSection } from './pushSection';
import { tryingOut } from './tryingOut';
import { wildSection } from './wildSection';

/** @param base the path of the control surface */
export function controlPage(sandbox: Sandbox, base: string): Answer {
	const body = `<!DOCTYPE html>
<html lang="en" data-base="${base}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox of the Agent Integration Service</title>
<link rel="stylesheet" href="${base}/page.css">
<script src="${base}/page.js" defer></script>
</head>
<body>
<header>
<h1>Sandbox of the Agent Integration Service</h1>
<p>It stands in for the real service. All people, properties and secrets here are invented. Its clock says
<span id="clock" data-live>${moment(new Date(sandbox.now()).toISOString())}</span>.</p>
</header>
<main>
${tryingOut(sandbox, base)}
${credentialSection(sandbox)}
<section aria-labelledby="more">
<h2 id="more">Look closer</h2>
${details('properties', 'Properties', propertySection(sandbox.inventory))}
${details('pushes', 'Pushed leads', pushSection(sandbox.pushes, base))}
${details('wild', 'Wild mode', wildSection(sandbox))}
${details('requests', 'Requests and credits', requests(sandbox))}
${details('control', 'The same with curl', control(sandbox.url + base, base))}
</section>
</main>
</body>
</html>
`;
	return { status: 200, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body };
}

function details(id: string, title: string, content: string): string {
	return `<details id="${id}"><summary><h3>${title}</h3></summary>${content}</details>`;
}

function requests({ counts, requests: logged }: Sandbox): string {
	const newest = logged.slice(-20).reverse();
	const rows = newest.map(({ at, method, path, status }) => [
		new Date(at).toISOString().slice(11, 19),
		method,
		path,
		String(status ?? 'open'),
	]);
	return live(
		'counts',
		`<p>Credits spent: ${counts.credits}. The last requests, newest first (UTC):</p>
${table(rows)}
<details><summary>All counts</summary><pre>${escaped(JSON.stringify(counts, null, 2))}</pre></details>`,
	);
}

function control(address: string, base: string): string {
	const rows = Object.entries(ACTIONS).map(([name, { fields }]) => [
		name,
		Object.entries(fields)
			.map(([field, note]) => (note === '' ? field : `${field} (${note})`))
			.join('; '),
	]);
	return `<p>Send fields as JSON, or simple ones as a form: <code>curl ${escaped(address)}/leads -d kind=applicant</code>. In Windows PowerShell, type <code>curl.exe</code> for <code>curl</code>.</p>
${table(rows, (name) => link(base, name))}`;
}

/** @param name method and path */
function link(base: string, name: string): string {
	const [method, path] = name.split(' ');
	return method === 'GET' ? `GET <a href="${base}/${path}">${path}</a>` : escaped(name);
}
