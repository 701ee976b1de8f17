import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { leadJson } from '../../../nodes/common/leads/simplifyLead';
import { root } from '../../lab/paths';

const COLUMNS = Object.keys(leadJson({}, 'applicant', true));

/** What only the trigger adds, to some items. */
const OF_TRIGGER = ['attempt'];

function read(file: string): string {
	return readFileSync(join(root, file), 'utf8');
}

/** The fields in the first column of the table under “Simplified”. */
function documented(): string[] {
	const [, section = ''] = /^### Simplified$([^]+?)^### /m.exec(read('docs/agent-leads.md')) ?? [];
	const cells = [...section.matchAll(/^\| (`.+?) +\|/gm)].map(([, cell = '']) => cell);
	return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

describe('the columns of a simplified lead', () => {
	it('are all documented, in their order, and no others', () => {
		expect(documented()).toEqual(COLUMNS);
	});

	it.each([
		'AgentLeads/__schema__/v1.0.0/applicantLead/getAll.json',
		'AgentLeads/__schema__/v1.0.0/appraisalLead/getAll.json',
		'AgentLeadsPushTrigger/__schema__/v1.1.0/output.json',
		'AgentLeadsTrigger/__schema__/v1.0.0/output.json',
	])('are what the editor shows before a run, in their order: %s', (file) => {
		const { properties = {} } = JSON.parse(read(`nodes/${file}`)) as { properties?: object };

		const shown = Object.keys(properties).filter((name) => !OF_TRIGGER.includes(name));

		expect(shown).toEqual(COLUMNS);
	});
});
