import type { Pushes } from '../push/pushes';
import { PUSH_SWITCHES } from '../push/targets';
import { SAID, choice, live, table } from './html';

/** How many answers the page shows. */
const NEWEST = 30;

/** How a push may travel; page.js knows what each means. */
const WAYS = [
	'as usual',
	'12 copies at once',
	'slowly, for 5 seconds',
	'cut off after 20 bytes, then again',
	'with a wrong key, then again',
];
const ENQUIRIES = ['ENQUIRY_TYPE_SALES', 'ENQUIRY_TYPE_LETTINGS', 'ENQUIRY_TYPE_UNSPECIFIED'];

/** @returns the part of the page by which people push leads. It shows none of the keys and secrets that were registered. */
export function pushSection(pushes: Pushes, base: string): string {
	return `${live('push-addresses', addressesOf(pushes))}
${leadForm()}
${addressForm()}
${live(
	'push-answers',
	`<p>A lead that is not accepted is pushed again for 24 hours, ${pushes.compression} times faster than by the real service.
<a href="${base}/pushes">All answers</a>, the newest ${NEWEST} first:</p>
${table(answersOf(pushes))}`,
)}`;
}

function addressesOf(pushes: Pushes): string {
	const addresses = pushes.addresses();
	if (addresses.length === 0) return '<p>No address is registered: nothing is pushed.</p>';
	const rows = addresses.map(({ url, by, without }) => [
		url,
		`by ${by}`,
		without.length > 0 ? `without ${without.join(', ')}` : '',
	]);
	return `<p>Each new lead is pushed to:</p>${table(rows)}`;
}

function leadForm(): string {
	return `<form id="push-form">
<label>Kind ${choice('kind', ['applicant', 'appraisal'])}</label>
<label>Enquiry ${choice('enquiryType', ENQUIRIES)}</label>
<label>Branch ID <input name="branchId" value="branch-101" size="10"></label>
<label>Or the ID of an existing lead <input name="id" autocomplete="off"></label>
<label>How ${choice('way', WAYS)}</label>
<span class="buttons"><button>Push</button></span>
${SAID}
</form>`;
}

function addressForm(): string {
	const switches = PUSH_SWITCHES.map(
		(each) => `<label class="tick"><input type="checkbox" name="${each}" checked> ${each}</label>`,
	);
	return `<form id="register-form">
<h4>Register an address</h4>
<label>Production URL of the trigger, ending in /leads <input name="url" type="url" size="60" required></label>
<fieldset><legend>What is pushed there</legend>${switches.join(' ')}</fieldset>
<label>Authentication ${choice('by', ['key', 'token'])}</label>
<label>API key <input name="key" type="password" autocomplete="off"></label>
<details><summary>Use a token instead of a key</summary>
<label>Token address <input name="tokenUrl" type="url" size="60"></label>
<label>Client ID <input name="clientId" autocomplete="off"></label>
<label>Client secret <input name="clientSecret" type="password" autocomplete="off"></label>
<label>Sent by ${choice('pairIn', ['basic', 'form', 'json'])}</label>
<label>Audience <input name="audience" autocomplete="off"></label>
</details>
<span class="buttons"><button>Register</button>
<button type="button" class="act" data-method="DELETE" data-name="push-addresses">Forget all addresses</button></span>
${SAID}
</form>
<form id="speed-form">
<label>How many times faster than in reality repeats come <input name="compression" type="number" min="1" value="300"></label>
<span class="buttons"><button>Set</button>
<button type="button" class="act" data-method="DELETE" data-name="pushes">Cancel all repeats, and empty the list of answers</button></span>
${SAID}
</form>`;
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
