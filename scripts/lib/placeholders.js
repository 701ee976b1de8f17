// @ts-check
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/** An address or a domain that is reserved for examples. */
const INVENTED = /\bexample\.(com|org|net)\b|\.example\b/;

const UNDATED = /^## \[(.+?)\](?! - \d{4}-\d{2}-\d{2}$)/m;

/** What a page says before the package is published, in a line or across two, and what its author still has to write. */
const UNFINISHED =
	/not\s+published\s+yet|not\s+been\s+published|\bonce\s+(it|the\s+(package|repository))\s+is\s+(on\s+npm|public)|\bTODO\b|\bTBD\b/gi;

/**
 * The pages that a user, a contributor or n8n's reviewer reads, by file.
 *
 * @param {string} root
 * @returns {Record<string, string>}
 */
function readPages(root) {
	const folders = ['', 'docs', 'examples/queue-mode', 'bench', 'service', 'nodes', 'test'].flatMap(
		(folder) =>
			readdirSync(join(root, folder))
				.filter((file) => file.endsWith('.md'))
				.map((file) => join(folder, file)),
	);
	const files = [...folders, 'vendor/README.txt'];
	return Object.fromEntries(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/**
 * What has to be filled in before a version is published: a sentence each.
 *
 * @param {object} release
 * @param {{ version: string, author: { name: string, email: string }, repository: { url: string } }} release.manifest
 * @param {Record<string, string>} release.pages what users read, by file
 * @param {string} [release.repository] where it is published from, such as `owner/name`; checked if it is known
 * @returns {string[]}
 */
function placeholders({ manifest: { version, author, repository: named }, pages, repository }) {
	const address = named.url.replace(/^git\+/, '').replace(/\.git$/, '');
	const changelog = pages['CHANGELOG.md'] ?? '';
	const undated = UNDATED.exec(changelog)?.[1];
	return [
		...(INVENTED.test(author.email)
			? [`package.json: ${author.email} is not an address of the author.`]
			: []),
		...(repository !== undefined && !address.endsWith(`/${repository}`)
			? [`package.json: the repository is ${address}, but this is ${repository}.`]
			: []),
		...Object.entries(pages).flatMap(([file, text]) => [
			...(file === 'vendor/README.txt' && !text.includes(address)
				? [`${file}: does not name ${address}, where the source is.`]
				: []),
			...[...text.matchAll(UNFINISHED)].map(({ index, 0: found }) => {
				const line = text.slice(0, index).split('\n').length;
				return `${file}:${line}: “${found.replace(/\s+/g, ' ')}” is still there.`;
			}),
		]),
		...(changelog.includes(`## [${version}] - `) ? [] : [`CHANGELOG.md: no entry for ${version}.`]),
		...(undated === undefined ? [] : [`CHANGELOG.md: ${undated} has no date.`]),
	];
}

module.exports = { placeholders, readPages };
