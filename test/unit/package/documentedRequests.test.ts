import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { REQUESTS } from '../../lab/n8n/assistant/requests';
import { root } from '../../lab/paths';

describe('what people are told to type to an assistant', () => {
	it('is what is tested with n8n’s tools', () => {
		const page = readFileSync(join(root, 'docs', 'assistants.md'), 'utf8');
		const [, section = ''] = /^## What to type$([^]+?)^## /m.exec(page) ?? [];

		const typed = [...section.matchAll(/^- (.+\.)$/gm)].map(([, sentence]) => sentence);

		expect(typed.sort()).toEqual(REQUESTS.map(({ sentence }) => sentence).sort());
	});
});
