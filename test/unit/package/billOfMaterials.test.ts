import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { billOfMaterials } from '../../../vendor/billOfMaterials';
import { bundleLibrary, LIBRARIES } from '../../../vendor/bundle';
import { root } from '../../lab/paths';

const FILE = 'dist/vendor/openpgp.js';

interface Bill {
	components: Array<{ name: string; components?: Array<{ name: string }> }>;
}

function readJson(file: string): unknown {
	return JSON.parse(readFileSync(join(root, file), 'utf8'));
}

describe('the bill of materials', () => {
	let folder: string;
	let bundle: Buffer;
	let json: string;
	let bill: Bill;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'bill-'));
		for (const name of LIBRARIES.keys()) await bundleLibrary(name, join(folder, `${name}.js`));
		bundle = await readFile(join(folder, 'openpgp.js'));
		json = billOfMaterials(folder);
		bill = JSON.parse(json) as Bill;
	});

	afterAll(() => rm(folder, { recursive: true }));

	function component(name: string) {
		return bill.components.find((each) => each.name === name);
	}

	it('is valid CycloneDX', async () => {
		const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);

		expect(await validator.validate(json)).toBeNull();
		expect(await validator.validate(json.replace('"SHA-256"', '"SHA-0"'))).not.toBeNull();
	});

	it('is the same each time', () => {
		expect(billOfMaterials(folder)).toBe(json);
	});

	it('names the version of OpenPGP.js that the bundle names, its licence, and the hash that npm checks', () => {
		const { version } = readJson('node_modules/openpgp/package.json') as { version: string };
		const { packages } = readJson('package-lock.json') as {
			packages: Record<string, { integrity: string; license: string }>;
		};
		const { integrity, license } = packages['node_modules/openpgp'] ?? {};
		const sha512 = Buffer.from(integrity?.split('-')[1] ?? '', 'base64').toString('hex');

		expect(bundle.toString()).toContain(`OpenPGP.js v${version} `);
		expect(license).toBe('LGPL-3.0+');
		expect(component('openpgp')).toMatchObject({
			version,
			purl: `pkg:npm/openpgp@${version}`,
			licenses: [{ license: { id: 'LGPL-3.0-or-later' } }],
			externalReferences: expect.arrayContaining([
				expect.objectContaining({ hashes: [{ alg: 'SHA-512', content: sha512 }] }),
			]) as unknown,
		});
	});

	it('lists the libraries for HTML', () => {
		const names = bill.components.map(({ name }) => name);

		expect(names).toEqual(expect.arrayContaining(['entities', 'html-tag-names', 'htmlparser2']));
	});

	it('has the hash of the bundle', () => {
		const content = createHash('sha256').update(bundle).digest('hex');

		expect(component(FILE)).toMatchObject({ hashes: [{ alg: 'SHA-256', content }] });
	});

	it('lists the projects in OpenPGP.js that the bundle and its readme name', () => {
		const parts = (component('openpgp')?.components ?? []).map(({ name }) => name);
		const named = [...bundle.toString().matchAll(/\(\*! (\S+) - MIT License/g)].map(
			([, name]) => name,
		);
		const readme = readFileSync(join(root, 'vendor/README.txt'), 'utf8');
		const rows = readme.split('\n').filter((line) => line.startsWith('  ') && line.includes('(c)'));

		expect(named).toEqual(['noble-ciphers', 'noble-hashes', 'noble-curves']);
		expect(parts).toEqual(expect.arrayContaining(named));
		expect([...parts].sort()).toEqual(rows.map((row) => row.trim().split(' ')[0]).sort());
	});
});
