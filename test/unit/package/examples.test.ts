import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { exampleFiles, readExample } from '../../lab/n8n/stage/examples';
import { root } from '../../lab/paths';
import { strings } from '../../lab/strings';

const FOLDER = join(root, 'test', 'e2e', 'examples');
const TESTS = readdirSync(FOLDER)
	.map((file) => readFileSync(join(FOLDER, file), 'utf8'))
	.join('\n');

describe.each(exampleFiles())('%s', (file) => {
	const text = JSON.stringify(readExample(file));
	const { nodes, settings, ...example } = readExample(file);

	it('has tests of its own in a real n8n', () => {
		expect(TESTS).toContain(`describe('${file}'`);
	});

	it('explains itself on the canvas', () => {
		const notes = nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote');

		const explained = strings(notes.map(({ parameters }) => parameters.content)).join('\n');

		expect(explained).toContain(`## ${example.name}`);
	});

	/**
	 * A deactivated node lets leads through: the run is green, and nothing is sent. n8n publishes nothing that is not filled in. A
	 * node with the credential of a product sends to that product.
	 */
	it('has no deactivated node, and no address of its own to send to', () => {
		expect(text).not.toContain('"disabled"');
		for (const { parameters } of nodes)
			for (const name of ['url', 'fromEmail'])
				if (name in parameters && !('nodeCredentialType' in parameters))
					expect(parameters[name]).toBe('');
	});

	/** Of several, the editor's button starts an app's trigger rather than n8n's own, and the first of its kind. */
	it('starts by its button what the notes say', () => {
		const triggers = nodes.filter(({ type }) => /trigger$/i.test(type));
		const notes = nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote');
		const explained = strings(notes.map(({ parameters }) => parameters.content)).join('\n');
		const [first, ...others] = triggers;

		if (others.length === 0) expect(explained).toContain('**Execute workflow**');
		else expect(explained).toContain(`**Execute workflow from ${first?.name}**`);
	});

	it('holds nothing of the n8n that it was made in', () => {
		const isPinned = file === 'try-with-sample-leads.json';
		const keys = ['connections', 'name', ...(isPinned ? ['pinData'] : [])];
		expect(Object.keys(example).sort()).toEqual(keys);
		expect(settings).toEqual({
			executionOrder: 'v1',
			timezone: 'Europe/London',
			saveDataErrorExecution: 'all',
		});
		for (const { credentials: chosen = {} } of nodes)
			for (const { id } of Object.values(chosen)) expect(id).toBe('');

		const ids = [...text.matchAll(/"id":"([\da-f-]{36})"/g)].map(([, id]) => id);

		expect(new Set(ids).size).toBe(ids.length);
	});
});
