import { DAY, HOUR, MINUTE, isoSeconds } from './clock';
import { Everyday, plausiblePrice } from './everyday';
import type { Sandbox } from './index';
import { AGENCY_REFS } from './inventory';
import type { LeadKind } from './leadBodies';
import type { Property } from './propertyData';
import { statusFields } from './propertyData';
import type { Random } from './random';
import { createRandom, integer, pick } from './random';

export const BRANCHES = ['branch-101', 'branch-102', 'branch-103'];

/** How many leads of each kind look as in life: the newest ones, of each branch some. */
const EVERYDAY_LEADS = 18;
/** How many properties of an agency do: those that its lists begin with. */
const EVERYDAY_PROPERTIES = 60;
/** How old the newest lead is, and how far apart the others came. */
const FIRST_AGE = 4 * MINUTE;
const BETWEEN = 35 * MINUTE;
const SALE_STATUSES = ['Available', 'Available', 'Available', 'UnderOffer', 'Exchanged'];
const RENT_STATUSES = ['LetMarketing', 'LetMarketing', 'LetMarketing', 'LetAgreed', 'Let'];

/**
 * Fills the sandbox with what a few branches receive in a month. What people see first looks as in life; deeper down
 * there is all that the contract allows.
 */
export function seedDemo(sandbox: Sandbox, seed: number): void {
	sandbox.addClient({
		integration: 'leads',
		clientId: 'leads-branches-client',
		clientSecret: 'b+r%41a:n ç&h=secret',
		branches: BRANCHES,
	});
	seedProperties(sandbox, seed);
	seedOddLeads(sandbox);
	sandbox.everyday = new Everyday(seed, sandbox.inventory, BRANCHES, () => sandbox.now());
	seedEverydayLeads(sandbox, sandbox.everyday);
}

function seedOddLeads(sandbox: Sandbox): void {
	const now = sandbox.now();
	const month = { from: now - 30 * DAY + HOUR, to: now - DAY, branchId: BRANCHES };
	const evening = { from: now - DAY + HOUR, to: now - 13 * HOUR, branchId: BRANCHES };
	sandbox.addLeads('applicant', 70, month);
	sandbox.addLeads('appraisal', 30, month);
	sandbox.addLeads('applicant', 6, evening);
	sandbox.addLeads('appraisal', 4, evening);
	const unset = { createdAt: '0001-01-01T00:00Z' };
	sandbox.addLead('applicant', unset, { branchId: BRANCHES[0], receivedAt: now - 2 * DAY });
}

/** The newest two applicants ask about properties that the inventory lists first. */
function seedEverydayLeads(sandbox: Sandbox, everyday: Everyday): void {
	const now = sandbox.now();
	const listed = sandbox.inventory.of(AGENCY_REFS[0]).filter(({ archived }) => !archived);
	for (const kind of ['applicant', 'appraisal'] satisfies LeadKind[]) {
		for (let index = EVERYDAY_LEADS - 1; index >= 0; index--) {
			const receivedAt = now - FIRST_AGE - index * BETWEEN;
			const property = kind === 'applicant' && index < 2 ? listed[index] : undefined;
			sandbox.addLead(kind, property === undefined ? {} : everyday.about(property), {
				branchId: BRANCHES[index % BRANCHES.length],
				receivedAt,
			});
		}
	}
}

function seedProperties(sandbox: Sandbox, seed: number): void {
	const now = sandbox.now();
	const random = createRandom(seed + 13);
	const [agency, otherAgency] = AGENCY_REFS;
	for (const [ref, count] of [
		[agency, 320],
		[otherAgency, 80],
	] as const) {
		sandbox.inventory.fill(ref, count).forEach((property, index) => {
			makeRecent(property, random, now);
			if (index < EVERYDAY_PROPERTIES) makeEveryday(property, now);
			if (!property.archived) Object.assign(property, statusFields(statusOf(property, random)));
		});
	}
}

/** In the books for at most a year; at least a quarter of them have changed in the last three days. */
function makeRecent(property: Property, random: Random, now: number): void {
	const created = now - integer(random, 8, 365) * DAY - integer(random, 0, 86_400) * 1_000;
	const oldest = pick(random, [created, created, created, now - 3 * DAY]);
	const modified = integer(random, oldest / 1_000, (now - HOUR) / 1_000) * 1_000;
	Object.assign(property, {
		price: plausiblePrice(random, property.recordType === 'Rent', property.bedrooms),
		createdDate: isoSeconds(created),
		modifiedDate: isoSeconds(modified),
		instructionDate: property.instructionDate && isoSeconds(created + DAY),
	});
}

function makeEveryday(property: Property, now: number): void {
	const letting = property.recordType === 'Rent';
	Object.assign(property, {
		archived: false,
		category: 'Residential',
		rentalDateAvailable: letting ? isoSeconds(Math.ceil(now / DAY) * DAY + 14 * DAY) : null,
	});
}

/** @returns what one for sale or one to let may have */
function statusOf({ recordType }: Property, random: Random): string {
	return pick(random, recordType === 'Rent' ? RENT_STATUSES : SALE_STATUSES);
}
