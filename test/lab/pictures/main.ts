import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Failure } from '../failure';
import { root } from '../paths';
import * as dialogs from './dialogs';
import { leadArrives } from './hero';
import * as panels from './panels';
import { moving, withPalette, type Frame } from './png';
import { Studio } from './studio';
import * as workflows from './workflows';

type Shot = (studio: Studio) => Promise<Buffer | Frame[]>;

/** How each picture is taken, by the name of its file in docs/images. */
const SHOTS: Record<string, Shot> = {
	'lead-arrives': leadArrives,
	'agent-leads-node': panels.agentLeads,
	'agent-leads-trigger-node': panels.agentLeadsTrigger,
	'agent-leads-push-trigger-node': panels.agentLeadsPushTrigger,
	'agent-inventory-node': panels.agentInventory,
	'agent-inventory-trigger-node': panels.agentInventoryTrigger,
	'agent-products-node': panels.agentProducts,
	'node-error': panels.nodeError,
	'node-panel': dialogs.nodePanel,
	credential: dialogs.credential,
	'credential-openpgp': dialogs.credentialOpenpgp,
	publish: dialogs.publish,
	published: dialogs.published,
	'new-leads-workflow': workflows.newLeads,
	'appraisal-to-negotiator-workflow': workflows.appraisalToNegotiator,
	'lead-with-property-workflow': workflows.leadWithProperty,
	'instant-lead-response-workflow': workflows.instantLeadResponse,
	'price-drop-to-applicants-workflow': workflows.priceDropToApplicants,
	'daily-lead-summary-workflow': workflows.dailyLeadSummary,
	'promote-listing-workflow': workflows.promoteListing,
	'backfill-leads-workflow': workflows.backfillLeads,
};

/** Takes pictures; all of them when none is named. One that cannot be taken stays as it was. */
export async function takePictures(only = Object.keys(SHOTS)): Promise<void> {
	const shots = only.map((name) => [name, known(name)] as const);
	const missed: string[] = [];
	const studio = await Studio.open();
	try {
		for (const [name, shot] of shots)
			await take(studio, name, shot).catch((error: unknown) =>
				missed.push(`${name}: ${String(error)}`),
			);
	} finally {
		await studio.close();
	}
	if (missed.length > 0) throw new Failure(`Not taken:\n${missed.join('\n')}`);
}

async function take(studio: Studio, name: string, take: Shot): Promise<void> {
	const started = Date.now();
	const shot = await take(studio);
	const picture = Array.isArray(shot) ? moving(shot) : withPalette(shot);
	writeFileSync(join(root, 'docs', 'images', `${name}.png`), picture);
	const seconds = ((Date.now() - started) / 1000).toFixed(1);
	process.stdout.write(`${name}: ${Math.round(picture.length / 1000)} kB, ${seconds} s\n`);
}

function known(name: string): Shot {
	const shot = SHOTS[name];
	if (shot) return shot;
	throw new Failure(`There is no picture ${name}. There are: ${Object.keys(SHOTS).join(', ')}`);
}
