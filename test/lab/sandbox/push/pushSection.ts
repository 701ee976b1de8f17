import { choice, table } from '../html';
import type { Pushes } from './pushes';
import { PUSH_SWITCHES } from './targets';

/** How many answers the page shows. */
const NEWEST = 30;

/** How a push may travel, by what the page calls it. */
const WAYS = {
	'as usual': {},
	'12 copies at once': { copies: 12 },
	'slowly, for 5 seconds': { takesMs: 5_000 },
	'cut off after 20 bytes, then again': { cutAfter: 20 },
	'with a wrong key, then again': { isWrong: true },
};

const ENQUIRIES = ['ENQUIRY_TYPE_SALES', 'ENQUIRY_TYPE_LETTINGS', 'ENQUIRY_TYPE_UNSPECIFIED'];

/** @returns the part of the page by which people push leads. It shows no key and no secret. */
export function pushSection(pushes: Pushes, base: string): string {
	const addresses = pushes.addresses();
	return `<h2>Pushes</h2>
<p>${addresses.length === 0 ? 'No address is registered: nothing is pushed.' : 'Each new lead is pushed to:'}</p>
${table(addresses.map(({ url, by, without }) => [url, `by ${by}`, without.length > 0 ? `without ${without.join(', ')}` : '']))}
${leadForm()}
${addressForm()}
<p>A lead that is not taken is pushed again for 24 hours, ${pushes.compression} times faster than in life.
<a href="${base}/pushes">All answers</a>, the newest ${NEWEST} first; load the page again for later ones:</p>
${table(answersOf(pushes))}
<script>
const ways = ${JSON.stringify(WAYS)};
onSubmit('push', ({ kind, enquiryType, branchId, id, way }) => send('POST', 'pushes', id
	? { kind, id, ...ways[way] }
	: { kind, branchId, overrides: { enquiryType }, ...ways[way] }));
onSubmit('register', ({ url, by, key, pairIn, tokenUrl, clientId, clientSecret, audience, ...on }) => send('POST', 'push-addresses', {
	url,
	authentication: by === 'key' ? { by, key } : { by, pairIn, tokenUrl, clientId, clientSecret, audience },
	without: ${JSON.stringify(PUSH_SWITCHES)}.filter((each) => !(each in on)),
}));
onSubmit('speed', ({ compression }) => send('POST', 'push-speed', { compression: Number(compression) }));
document.getElementById('unregister').addEventListener('click', () => send('DELETE', 'push-addresses'));
document.getElementById('forget').addEventListener('click', () => send('DELETE', 'pushes'));
</script>`;
}

function leadForm(): string {
	return `<form id="push">
<label>Kind ${choice('kind', ['applicant', 'appraisal'])}</label>
<label>Enquiry ${choice('enquiryType', ENQUIRIES)}</label>
<label>Branch <input name="branchId" value="branch-101" size="10"></label>
<label>Or the ID of a lead that is there <input name="id"></label>
<label>How ${choice('way', Object.keys(WAYS))}</label>
<button>Push</button>
</form>`;
}

function addressForm(): string {
	const switches = PUSH_SWITCHES.map(
		(each) => `<label><input type="checkbox" name="${each}" checked>${each}</label>`,
	);
	return `<details><summary>Addresses and repeats</summary>
<form id="register">
<p><label>Address <input name="url" type="url" size="60" required></label> ${switches.join(' ')}</p>
<p><label>By ${choice('by', ['key', 'token'])}</label>
<label>Key <input name="key" type="password" autocomplete="off"></label></p>
<p><label>Token address <input name="tokenUrl" type="url" size="60"></label>
<label>Client ID <input name="clientId"></label>
<label>Client secret <input name="clientSecret" type="password" autocomplete="off"></label>
<label>Sent by ${choice('pairIn', ['basic', 'form', 'json'])}</label>
<label>Audience <input name="audience"></label></p>
<button>Register</button> <button type="button" id="unregister">Forget all addresses</button>
</form>
<form id="speed"><label>Repeats come faster than in life by <input name="compression" type="number" min="1" value="300"></label>
<button>Set</button> <button type="button" id="forget">Give up all repeats, and empty the list of answers</button></form>
</details>`;
}

function answersOf({ log }: Pushes): string[][] {
	const newest = log.slice(-NEWEST).reverse();
	return newest.map(({ id, url, answer: { status, retryAfter, ms } }) => [
		String(id),
		status === 0 ? 'no answer' : String(status),
		retryAfter === undefined ? '' : `Retry-After: ${retryAfter}`,
		`${Math.round(ms)} ms`,
		url,
	]);
}
