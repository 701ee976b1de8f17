// @ts-check
// The page of the sandbox, in the browser: buttons and forms call the control surface, and what changes is renewed.

/** @typedef {Record<string, string>} Fields of a form, those that are filled in */
/** @typedef {{ method: string, name: string, input?: Record<string, unknown>, expect?: string }} Act */
/** @typedef {{ firstName?: string, lastName?: string }} Contact */
/** @typedef {{ propertyNumberOrName?: string, streetName?: string }} ListingAddress */
/** @typedef {{ contact: Contact, listingDetails: { address: ListingAddress }, propertyDetails?: { address: { line1: string } } }} Lead */
/** @typedef {{ id: number | string, address: { nameNo: string, street: string }, price: number | null, status: string, recordType: string }} Property */
/** @typedef {Property & { lead: Lead, state: string, until: string, result: string, settleAfterGets: number | null }} Told what the control surface answers, each action with a part of it */

const RENEW_MS = 5_000;
const COPIED_MS = 2_000;
const base = document.documentElement.dataset.base;

/** How a push may travel, by what the form calls it. @type {Record<string, Record<string, unknown>>} */
const WAYS = {
	'12 copies at once': { copies: 12 },
	'slowly, for 5 seconds': { takesMs: 5_000 },
	'cut off after 20 bytes, then again': { cutAfter: 20 },
	'with a wrong key, then again': { isWrong: true },
};

/** What each form asks for. @type {Record<string, (fields: Fields) => Act>} */
const FORMS = {
	'property-form': ({ agencyRef, id, price, archived, ...status }) => ({
		method: 'POST',
		name: 'property',
		input: {
			agencyRef,
			...(id && { id }),
			changes: {
				...status,
				...(price && { price: Number(price) }),
				...(archived && { archived: archived === 'true' }),
			},
		},
	}),
	'push-form': ({ kind, enquiryType, branchId, id, way = '' }) => ({
		method: 'POST',
		name: 'pushes',
		input: {
			kind,
			...(id ? { id } : { branchId, overrides: { enquiryType } }),
			...WAYS[way],
		},
	}),
	'register-form': (fields) => {
		const { url, by, key, pairIn, tokenUrl, clientId, clientSecret, audience, ...on } = fields;
		const byToken = { by, pairIn, tokenUrl, clientId, clientSecret, audience };
		const without = ['applicant', 'appraisal', 'sales', 'lettings'].filter((each) => !(each in on));
		const authentication = by === 'key' ? { by, key } : byToken;
		return { method: 'POST', name: 'push-addresses', input: { url, authentication, without } };
	},
	'speed-form': ({ compression }) => ({
		method: 'POST',
		name: 'push-speed',
		input: { compression: Number(compression) },
	}),
	'wild-form': ({ seed, rate, strength }) => ({
		method: 'POST',
		name: 'wild',
		input: { seed: Number(seed), rate: Number(rate), strength },
	}),
};

/** What has happened, by the action and its answer. @type {Record<string, (answer: Told) => string>} */
const HAPPENED = {
	'POST leads': ({ lead }) => `New lead: ${personOf(lead)}, ${whatOf(lead)}.`,
	'POST pushes': ({ id }) => `Pushed the lead ${id}. The answers are under Pushed leads.`,
	'POST market': (property) => `The property is now: ${homeOf(property)}.`,
	'POST property': (property) => `Saved: ${homeOf(property)}.`,
	'POST service': ({ state, until }) =>
		state === 'normal'
			? 'The service answers as usual.'
			: `The service is ${state} until ${timeText(until)}.`,
	'POST products': ({ result, settleAfterGets }) => {
		if (result === 'ERROR') return 'Orders from now on end in an error.';
		return `Orders from now on ${settleAfterGets === null ? 'stay pending' : 'succeed'}.`;
	},
	'POST push-addresses': () => 'Registered. New leads are pushed there.',
	'DELETE push-addresses': () => 'No address is registered now.',
	'DELETE pushes': () => 'No lead is pushed again, and the list is empty.',
	'POST wild': () => 'The wild mode is on.',
	'DELETE wild': () => 'The wild mode is off.',
};

/** @param {Lead} lead */
function personOf({ contact: { firstName, lastName } }) {
	return [firstName, lastName].filter(Boolean).join(' ') || 'no name';
}

/** @param {Lead} lead */
function whatOf({ listingDetails, propertyDetails }) {
	if (propertyDetails) return `valuation of ${propertyDetails.address.line1}`;
	const { propertyNumberOrName, streetName } = listingDetails.address;
	return `about ${propertyNumberOrName} ${streetName}`;
}

/** @param {Property} property */
function homeOf({ id, address, price, status, recordType }) {
	const per = recordType === 'Rent' ? ' a month' : '';
	const sum = price === null ? 'no price' : `£${price.toLocaleString('en-GB')}${per}`;
	return `${address.nameNo} ${address.street} (ID ${id}), ${sum}, ${status}`;
}

/** @param {string} iso */
function timeText(iso) {
	return new Date(iso).toLocaleTimeString('en-GB');
}

/**
 * Does it, and says beside the button what has happened.
 * @param {Act} act
 * @param {HTMLButtonElement | null} button
 * @param {Element | null} said
 */
async function perform({ method, name, input, expect = '' }, button, said) {
	if (button) button.disabled = true;
	// What happened before is not what happens now.
	say(said, '', false);
	try {
		const answer = await fetch(`${base}/${name}`, {
			method,
			body: input && JSON.stringify(input),
		});
		const told = await answer.json();
		if (!answer.ok) throw new Error(told.message);
		const happened = HAPPENED[`${method} ${name}`]?.(told) ?? 'Done.';
		say(said, `${happened} ${expect}`.trim(), false);
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		say(said, `Not done: ${why}`, true);
	} finally {
		if (button) {
			button.disabled = false;
			button.focus({ preventScroll: true });
		}
	}
	await renew();
}

/**
 * @param {Element | null} said
 * @param {string} text
 * @param {boolean} isBad
 */
function say(said, text, isBad) {
	if (!said) return;
	said.classList.toggle('bad', isBad);
	said.textContent = text;
}

/** @param {Element} element within a card or a form */
function saidBeside(element) {
	return (element.closest('form') ?? element.closest('.card'))?.querySelector('.said') ?? null;
}

/** Takes the parts that change from a new copy of the page. What is typed in and what is said stay. */
async function renew() {
	const answer = await fetch(location.pathname).catch(() => undefined);
	if (!answer?.ok) return;
	const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
	for (const part of document.querySelectorAll('[data-live]')) {
		const other = fresh.getElementById(part.id);
		if (!other || other.innerHTML === part.getAttribute('data-was')) continue;
		const open = part.querySelector('details')?.open ?? false;
		part.setAttribute('data-was', other.innerHTML);
		part.replaceChildren(...other.childNodes);
		const inner = part.querySelector('details');
		if (inner) inner.open = open;
		localTimes(part);
	}
}

/** @param {ParentNode} within */
function localTimes(within) {
	for (const time of within.querySelectorAll('time')) time.textContent = timeText(time.dateTime);
}

/** @param {HTMLButtonElement} button */
async function copy(button) {
	const code = button.parentElement?.querySelector('code');
	const text = code?.textContent ?? '';
	const what = button.getAttribute('aria-label')?.replace(/^Copy /, '') ?? '';
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		if (code) getSelection()?.selectAllChildren(code);
		say(
			saidBeside(button),
			'The browser does not let the page copy. The text is selected: copy it.',
			true,
		);
		return;
	}
	button.textContent = 'Copied';
	say(saidBeside(button), `Copied: ${what}.`, false);
	setTimeout(() => (button.textContent = 'Copy'), COPIED_MS);
}

document.addEventListener('click', ({ target }) => {
	const button = target instanceof Element ? target.closest('button') : null;
	if (!button) return;
	if (button.matches('.copy')) void copy(button);
	if (!button.matches('.act')) return;
	const { method = '', name = '', input, expect } = button.dataset;
	void perform(
		{ method, name, input: input && JSON.parse(input), expect },
		button,
		saidBeside(button),
	);
});

document.addEventListener('submit', (event) => {
	const form = event.target;
	if (!(form instanceof HTMLFormElement)) return;
	event.preventDefault();
	const filled = [...new FormData(form)].filter(([, value]) => value !== '');
	// Not form.id: a field of that name hides it.
	const act = FORMS[form.getAttribute('id') ?? '']?.(
		Object.fromEntries(filled.map(([name, value]) => [name, `${value}`])),
	);
	const button = event.submitter instanceof HTMLButtonElement ? event.submitter : null;
	if (act) void perform(act, button, form.querySelector('.said'));
});

/** A link to a part that is folded opens it. */
function unfold() {
	const part = document.getElementById(location.hash.slice(1));
	if (part instanceof HTMLDetailsElement) part.open = true;
	part?.scrollIntoView();
}

addEventListener('hashchange', unfold);
unfold();
localTimes(document);
setInterval(() => document.hidden || void renew(), RENEW_MS);
