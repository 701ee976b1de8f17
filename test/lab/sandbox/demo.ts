import { DAY, HOUR, MINUTE } from './clock';
import type { Sandbox } from './index';
import { AGENCY_REFS } from './inventory';
import type { Property } from './propertyData';

const BRANCHES = ['branch-101', 'branch-102', 'branch-103'];

/** Fills the sandbox with what a few branches receive in a month. */
export function seedDemo(sandbox: Sandbox): void {
	sandbox.addClient({
		integration: 'leads',
		clientId: 'leads-branches-client',
		clientSecret: 'b+r%41a:n ç&h=secret',
		branches: BRANCHES,
	});
	const now = sandbox.now();
	const month = { from: now - 30 * DAY + HOUR, to: now - DAY, branchId: BRANCHES };
	const day = { from: now - DAY + HOUR, to: now - MINUTE, branchId: BRANCHES };
	sandbox.addLeads('applicant', 70, month);
	sandbox.addLeads('appraisal', 30, month);
	sandbox.addLeads('applicant', 12, day);
	sandbox.addLeads('appraisal', 7, day);
	sandbox.addLead('applicant', { createdAt: '0001-01-01T00:00Z' }, { branchId: BRANCHES[0] });
	const [agency, otherAgency] = AGENCY_REFS;
	const properties = sandbox.inventory.fill(agency, 320);
	properties
		.filter(({ archived }) => !archived)
		.slice(0, 2)
		.forEach((property) => askAbout(sandbox, property));
	sandbox.inventory.fill(otherAgency, 80);
}

/** Adds a lead that asks about a property of the inventory. It is the newest lead, so a manual test shows it. */
function askAbout(
	sandbox: Sandbox,
	{ uprn, address: { nameNo, street, locality, town, postcode } }: Property,
): void {
	const address = {
		propertyNumberOrName: nameNo,
		streetName: street,
		locality,
		townOrCity: town,
		postcode,
	};
	sandbox.addLead(
		'applicant',
		{ listingDetails: { uprn: Number(uprn), address } },
		{ branchId: BRANCHES[0] },
	);
}
