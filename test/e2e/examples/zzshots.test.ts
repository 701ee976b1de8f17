import { it } from '@jest/globals';
import { readExample } from '../../lab/n8n/stage/examples';
import { useBrowser, useStage } from '../../lab/n8n/stage/useStage';
const stage = useStage();
const browser = useBrowser();
it('shots', async () => {
	for (const name of (process.env.SHOTS ?? '').split(',')) {
		const w = await stage.n8n.createWorkflow(readExample(`${name}.json`));
		const page = await browser.open(stage.n8n, `/workflow/${w.id}`);
		await page.setViewportSize({ width: 1500, height: 1000 });
		await page.getByTestId('canvas-node').first().waitFor();
		await page.waitForTimeout(2500);
		const reset = page.getByTestId('reset-zoom-button');
		await page.keyboard.press('1');
		await page.waitForTimeout(1200);
		if (await reset.isVisible()) { await reset.click(); await page.waitForTimeout(1000); }
		await page.screenshot({ path: `/tmp/w/shot-${name}.png` });
		await page.close();
	}
});
