// @ts-check
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const { Enums, Models, Serialize, Spec } = require('@cyclonedx/cyclonedx-library');

const { LIBRARIES } = require('./bundle');

const root = join(__dirname, '..');

/** A project in the table of README.txt: all of them are under the MIT licence. */
const PART = /^ {2}(\S+) +(Copyright .+)$/gm;

/**
 * What the package brings along, in CycloneDX. It holds neither a time nor a random number, not even in the references
 * that the library would make up: the same sources make the same package.
 *
 * @param {string} folder where the bundles are
 * @returns {string} JSON
 */
function billOfMaterials(folder) {
	const { name, version, license } = readJson('package.json');
	const product = library(name, version, license);
	const components = new Models.ComponentRepository();
	for (const [bundle, names] of LIBRARIES) {
		const file = `dist/vendor/${bundle}.js`;
		const content = readFileSync(join(folder, `${bundle}.js`));
		const script = new Models.Component(Enums.ComponentType.File, file, {
			bomRef: file,
			hashes: hash(
				Enums.HashAlgorithm['SHA-256'],
				createHash('sha256').update(content).digest('hex'),
			),
		});
		product.dependencies.add(script.bomRef);
		components.add(script);
		for (const each of names.map(libraryAsBundled)) {
			script.dependencies.add(each.bomRef);
			components.add(each);
		}
	}
	const bill = new Models.Bom({
		metadata: new Models.Metadata({ component: product }),
		components,
	});
	const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
	return new Serialize.JsonSerializer(factory).serialize(bill, { sortLists: true });
}

/**
 * The npm package, with the hash that package-lock.json holds it to, and what it brings along itself.
 *
 * @param {string} name
 */
function libraryAsBundled(name) {
	const { version, license, repository } = readJson(`node_modules/${name}/package.json`);
	const { integrity } = readJson('package-lock.json').packages[`node_modules/${name}`];
	const sha512 = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
	const component = library(name, version, license);
	component.externalReferences
		.add(
			new Models.ExternalReference(
				`https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`,
				Enums.ExternalReferenceType.Distribution,
				{ hashes: hash(Enums.HashAlgorithm['SHA-512'], sha512) },
			),
		)
		.add(
			new Models.ExternalReference(repository.url ?? repository, Enums.ExternalReferenceType.VCS),
		);
	if (name !== 'openpgp') return component;
	for (const [, part = '', copyright] of read('vendor/README.txt').matchAll(PART))
		component.components.add(
			new Models.Component(Enums.ComponentType.Library, part, {
				bomRef: `${name}/${part}`,
				copyright,
				licenses: spdx('MIT'),
			}),
		);
	return component;
}

/**
 * @param {string} name
 * @param {string} version
 * @param {string} license
 */
function library(name, version, license) {
	const purl = `pkg:npm/${name}@${version}`;
	return new Models.Component(Enums.ComponentType.Library, name, {
		bomRef: purl,
		version,
		purl,
		licenses: spdx(license),
	});
}

/** @param {string} id as npm packages have it; a plus behind it is what SPDX once had for "or later" */
const spdx = (id) =>
	new Models.LicenseRepository([new Models.SpdxLicense(id.replace(/\+$/, '-or-later'))]);

/**
 * @param {import('@cyclonedx/cyclonedx-library').Enums.HashAlgorithm} algorithm
 * @param {string} content
 */
const hash = (algorithm, content) => new Models.HashDictionary([[algorithm, content]]);

/** @param {string} file */
const read = (file) => readFileSync(join(root, file), 'utf8');

/** @param {string} file */
const readJson = (file) => JSON.parse(read(file));

module.exports = { billOfMaterials };
