import { writeFileSync } from 'node:fs';

import { Failure } from '../failure';
import * as dialogs from './dialogs';
import { fingerprintsOf } from './fingerprints';
import { leadArrives } from './hero';
import * as panels from './panels';
import { isPictureName, PICTURE_NAMES, PICTURES, type PictureName } from './pictures';
import { moving, withPalette, type Frame } from './png';
import { fileFingerprint, fileOf, readRecord, writeRecord } from './record';
import { Studio } from './studio';
import * as workflows from './workflows';

/** How each picture is taken. */
const SHOTS: Record<PictureName, (studio: Studio) => Promise<Buffer | Frame[]>> = {
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

/** Takes pictures and notes what they show; all of them when none is named. One that cannot be taken stays as it was. */
export async function takePictures(only: readonly string[] = PICTURE_NAMES): Promise<void> {
	const names = only.map(known);
	const missed: string[] = [];
	const studio = await Studio.open();
	try {
		for (const name of names)
			await take(studio, name).catch((error: unknown) => missed.push(`${name}: ${String(error)}`));
	} finally {
		await studio.close();
	}
	if (missed.length > 0) throw new Failure(`Not taken:\n${missed.join('\n')}`);
}

async function take(studio: Studio, name: PictureName): Promise<void> {
	const started = Date.now();
	const shot = await SHOTS[name](studio);
	const picture = Array.isArray(shot) ? moving(shot) : withPalette(shot);
	writeFileSync(fileOf(name), picture);
	const shows = fingerprintsOf(PICTURES[name]);
	writeRecord({ ...readRecord(), [name]: { file: fileFingerprint(picture), shows } });
	const seconds = ((Date.now() - started) / 1000).toFixed(1);
	process.stdout.write(`${name}: ${Math.round(picture.length / 1000)} kB, ${seconds} s\n`);
}

function known(name: string): PictureName {
	if (isPictureName(name)) return name;
	throw new Failure(`There is no picture ${name}. There are: ${PICTURE_NAMES.join(', ')}`);
}
