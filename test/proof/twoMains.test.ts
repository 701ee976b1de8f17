import { setTimeout as delay } from 'node:timers/promises';

import { expect, it, jest } from '@jest/globals';
import sample from 'lodash/sample';
import times from 'lodash/times';

import { chain, until } from '../lab/n8n';
import { LeadTarget } from '../lab/n8n/leadTarget';
import { agentLeadsTrigger, SECOND } from '../lab/n8n/stage';
import { figure } from '../lab/proof/figures';
import { TwoMains } from '../lab/proof/twoMains';
import { useInAll } from '../lab/standIn';

jest.setTimeout(600_000);

/** With TWO_MAINS_LEADS=240 there are as many; each main starts about one a second while it knows of the other. */
const { TWO_MAINS_LEADS = '40' } = process.env;
const BURST = 20;
/** More than two mains ever leave a lead to each other. */
const LONGEST_WAIT = 35 * SECOND;

const mains = useInAll(async () => await TwoMains.start('default', 'PostgreSQL'), {
	start: 300_000,
	stop: 120_000,
});
const target = useInAll(async () => await LeadTarget.start());

it('two mains that poll one database start each lead once, and lose none if one of them is killed', async () => {
	const { stage } = mains;
	const client = stage.addClient({ branches: ['two'] });
	const trigger = agentLeadsTrigger(await stage.saveCredential(client), { runs: 'onePerLead' });
	const workflow = await stage.save(chain('Two mains', trigger, target.node));
	const ids: string[] = [];
	const submit = (count: number) =>
		times(count, () => {
			const id = `lead-${ids.length + 1}`;
			ids.push(id);
			stage.sandbox.addLead('applicant', { id }, { branchId: 'two' });
		});
	const allHaveCome = async () =>
		await until('each lead to be posted', 400_000, async () =>
			Promise.resolve(ids.every((id) => target.attempts(id).length > 0) || undefined),
		);
	await stage.n8n.activate(workflow);
	submit(5);
	await allHaveCome();
	const other = await mains.startOther();

	while (ids.length < Number(TWO_MAINS_LEADS)) {
		submit(BURST);
		await allHaveCome();
	}
	// Whoever is slower tries each lead as well, later.
	await delay(LONGEST_WAIT);
	const killed = sample([stage.n8n, other]);
	await killed?.kill9();
	submit(3);
	await allHaveCome();

	const twice = ids.filter((id) => target.attempts(id).length > 1);
	const refusals = [stage.n8n, other].map(
		(each) => each.logs().match(/duplicate deduplication key/g)?.length ?? 0,
	);
	figure(`two mains: ${ids.length} leads, ${twice.length} twice, refused ${refusals.join(' + ')}`);

	expect(twice).toEqual([]);
	expect(Math.max(...refusals)).toBeGreaterThan(0);
});
