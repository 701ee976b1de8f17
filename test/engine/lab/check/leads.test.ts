import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { json } from '../../../lab/engine/relay';
import type { Row } from './checkedService';
import { CheckedService } from './checkedService';

let service: CheckedService;
beforeEach(async () => {
	service = await CheckedService.start();
});
afterEach(async () => await service.stop());

describe('the check names what differs:', () => {
	const applicants = 'leads: applicant leads, ';
	const outside = 'lie outside by createdAt';
	const allLeads = (): Row[] =>
		[1, 5, 40, 60].map((hours) => ({ ...service.addLead('applicant', hours) }));

	it.each<[string, () => void, string]>([
		[
			'a lifetime that is text',
			() =>
				service.sandbox.updateClient(service.sandbox.leadsClient.clientId, { expiresIn: '3600' }),
			'a token by form B: expires_in is a string, not a number',
		],
		[
			'times that are ignored',
			() => {
				const leads = allLeads();
				service.bodyAt('/applicant-leads', () => ({ applicants: leads }));
			},
			`${applicants}with times: what lies between them: 1 of 4 leads ${outside}`,
		],
		[
			'an end that is ignored',
			() => {
				const leads = allLeads().slice(0, 3);
				service.bodyAt('/applicant-leads', () => ({ applicants: leads }));
			},
			`${applicants}the end of a window is kept: `,
		],
		[
			'an end that does not belong to the window',
			() =>
				service.bodyAt('/applicant-leads', ({ applicants: leads }) => ({
					applicants: (leads as Row[]).length > 1 ? leads : [],
				})),
			`${applicants}both ends of a window belong to it: a lead did not come for its own second`,
		],
		[
			'a field without a name in the contract',
			() => service.eachApplicant((lead) => ({ ...lead, nickname: 'Robin A.' })),
			`${applicants}the names and types of the fields: fields that the contract does not have: nickname`,
		],
		[
			'a field that has another type',
			() => service.eachApplicant((lead) => ({ ...lead, isOverseas: 'Robin A.' })),
			`${applicants}the names and types of the fields: /isOverseas must be boolean`,
		],
		[
			'a time in another form',
			() => service.eachApplicant((lead) => ({ ...lead, createdAt: '2 March 2026' })),
			`${applicants}the forms of createdAt: `,
		],
		[
			'an id that comes twice',
			() => service.eachApplicant((lead) => ({ ...lead, id: 'the same' })),
			`${applicants}every lead has a unique id: `,
		],
		[
			'a filter that is ignored',
			() => {
				const [lead] = allLeads();
				service.at('/applicant-leads', (answer) =>
					answer.status === 400 ? json(200, { applicants: [lead] }) : answer,
				);
			},
			`${applicants}an ID that does not exist brings no leads: the filter is ignored: 1 leads`,
		],
		[
			'a refusal in another shape',
			() =>
				service.at('/applicant-leads', ({ status, ...rest }) =>
					status === 400 ? json(400, { error: 'bad_request' }) : { status, ...rest },
				),
			`${applicants}an invalid time is refused: 400 with an error of OAuth 2.0`,
		],
		[
			'leads of another day',
			() => {
				const leads = allLeads();
				service.bodyAt('/applicant-leads', () => ({ applicants: leads }));
			},
			`${applicants}without times: the last 24 hours: 2 of 4 leads ${outside}`,
		],
		[
			'a token that nobody looks at',
			() =>
				service.at('/appraisal-leads', (answer) =>
					answer.status === 401 ? json(200, {}) : answer,
				),
			'appraisal leads, an invalid token is refused: 200 with JSON of another shape, not 401',
		],
		[
			'a fraction of a second that breaks the service',
			() =>
				service.at('/appraisal-leads', (answer) =>
					answer.body.includes('whole seconds') ? json(418, {}) : answer,
				),
			'appraisal leads, a time with a fraction of a second: 418 with JSON of another shape',
		],
	])('%s', async (_, change, line) => {
		change();
		await service.expectDifference('leads', line);
	});

	it('an unlisted value by its prefix alone, which is no fault', async () => {
		service.eachApplicant((lead) => ({ ...lead, enquiryType: 'ENQUIRY_TYPE_ROBIN_ASHDOWN' }));

		const { code, text: all } = await service.check(service.environment('leads'));

		expect(all).toContain('values that are not listed, which may be: enquiryType (ENQUIRY_TYPE_');
		expect(all).not.toContain('ASHDOWN');
		expect(code).toBe(0);
	});

	it('a field, but not a key that may be data or a secret', async () => {
		const { clientId } = service.sandbox.leadsClient;
		service.eachApplicant((lead) => ({ ...lead, 'robin@example.com': 1, [clientId]: 2 }));

		const { differs } = await service.check(service.environment('leads'));

		expect(differs.join()).toContain('(a key that may be data); …');
		expect(service.written).not.toContain('robin');
	});
});
