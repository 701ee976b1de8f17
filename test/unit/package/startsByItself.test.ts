import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from '@jest/globals';

import { startsByItself } from '../../../scripts/lib/startsByItself';
import { root } from '../../lab/paths';

interface Example {
	nodes: Array<{ type: string; disabled?: boolean }>;
}

const EXAMPLES = readdirSync(join(root, 'examples')).filter((file) => file.endsWith('.json'));

/** By n8n's group, the manual one among them. */
function triggersOf({ nodes }: Example): string[] {
	return nodes.map(({ type }) => type).filter((type) => /Trigger$/.test(type));
}

it('each example starts by itself, but for those that begin by hand', () => {
	const byHand = EXAMPLES.filter((file) => {
		const example = JSON.parse(readFileSync(join(root, 'examples', file), 'utf8')) as Example;
		return !startsByItself(example, triggersOf(example));
	});

	expect(byHand).toEqual(['try-with-sample-leads.json']);
});

it('a deactivated trigger starts nothing', () => {
	const type = 'n8n-nodes-base.scheduleTrigger';

	expect(startsByItself({ nodes: [{ type }] }, [type])).toBe(true);
	expect(startsByItself({ nodes: [{ type, disabled: true }] }, [type])).toBe(false);
	expect(startsByItself({ nodes: [{ type }] }, [])).toBe(false);
});
