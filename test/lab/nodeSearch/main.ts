import { N8n } from '../n8n';
import { Browser } from '../n8n/browser';
import { writeRanks } from './page';
import { findAll } from './ranks';

/** Asks a real n8n, and writes test/lab/nodeSearch/README.md. */
export async function recordRanks(): Promise<void> {
	const n8n = await N8n.start();
	try {
		const browser = await Browser.start();
		try {
			writeRanks(await findAll({ n8n, browser }), n8n.version);
		} finally {
			await browser.stop();
		}
	} finally {
		await n8n.stop();
	}
}
