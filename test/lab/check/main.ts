import { Area } from './area';
import type { Manners } from './asker';
import { Asker, MANNERS } from './asker';
import type { Finding } from './findings';
import { Blocked, Findings } from './findings';
import { checkInventory } from './inventory';
import { checkLeads } from './leads';
import { checkProducts } from './products';
import { Curtain } from './curtain';
import type { Api, Environment } from './settings';
import { APIS, nameOf, Settings, VARIABLES } from './settings';

const CHECKS: Record<Api, (area: Area) => Promise<void>> = {
	leads: checkLeads,
	inventory: checkInventory,
	products: checkProducts,
};

/**
 * Reads from a real environment, and says rule by rule whether it is as the contract has it.
 *
 * @param environment where the addresses and pairs are; none of them is ever written
 * @param write takes the lines
 * @returns the exit code
 */
export async function checkService(
	environment: Environment,
	write: (line: string) => void,
	manners: Manners = MANNERS,
): Promise<number> {
	const curtain = new Curtain();
	const say = (line: string) => write(curtain.before(line));
	const findings = new Findings((finding) => say(lineOf(finding)));
	const areas = APIS.map((api) => new Settings(api, environment));
	if (!areas.some(({ isWanted }) => isWanted)) {
		write('Nothing to check: no variable is set.\n');
		write(help());
		return 2;
	}
	const asker = new Asker(manners);
	for (const settings of areas) {
		curtain.hide(...settings.values);
		await checkArea(new Area(settings, asker, findings, curtain), findings);
	}
	say(summaryOf(findings, asker.sent));
	return findings.exitCode;
}

async function checkArea(area: Area, findings: Findings): Promise<void> {
	const { api, settings } = area;
	if (!settings.isWanted) {
		findings.add(api, 'all rules', { verdict: 'not tried', why: 'no variable of it is set' });
		return;
	}
	const [outcome] = await Promise.allSettled([tried(area)]);
	if (outcome.status === 'fulfilled') return;
	const reason: unknown = outcome.reason;
	findings.block(api, reason instanceof Blocked ? reason.message : 'the check itself failed');
}

async function tried(area: Area): Promise<void> {
	area.settings.requireWhole();
	await CHECKS[area.api](area);
}

function lineOf({ area, rule, verdict, why }: Finding): string {
	return `${verdict.padEnd(11)}  ${area}: ${rule}: ${why}`;
}

function summaryOf(findings: Findings, sent: number): string {
	const counts = (['as expected', 'differs', 'not tried'] as const).map(
		(verdict) => `${findings.count(verdict)} ${verdict}`,
	);
	const end = findings.isBlocked ? ' An area whose variables are set could not be tried.' : '';
	return `\n${counts.join(', ')}; requests sent: ${sent}.${end}`;
}

/** What the command takes. */
export function help(): string {
	const areas = APIS.map((api) =>
		VARIABLES[api]
			.map(({ name, isOptional, help: meaning }) => {
				const mark = isOptional ? ' ' : '*';
				return `  ${mark} ${nameOf(api, name).padEnd(40)} ${meaning}`;
			})
			.join('\n'),
	);
	return [
		'npm run check:service reads from a real environment and says, rule by rule, whether the service',
		'is as test/lab/contract has it. It changes nothing and orders nothing.',
		'',
		'It reads these environment variables and never prints their values. An area with none set is',
		'not tried. Every other area needs those marked *, and the secret in one of its two forms.',
		'',
		areas.join('\n\n'),
		'',
		'Exit code: 0 as expected; 1 something differs; 2 something could not be tried.',
	].join('\n');
}
