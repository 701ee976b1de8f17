// @ts-check

/** An address or a domain that is reserved for examples. */
const INVENTED = /\bexample\.(com|org|net)\b|\.example\b/;

const UNDATED = /^## \[(.+?)\](?! - \d{4}-\d{2}-\d{2}$)/m;

/** What a text holds as long as it is not meant to be read by users. */
const UNFINISHED = /not published yet|\bTODO\b|\bTBD\b/i;

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
			...text
				.split('\n')
				.flatMap((line, index) =>
					UNFINISHED.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
				),
		]),
		...(changelog.includes(`## [${version}] - `) ? [] : [`CHANGELOG.md: no entry for ${version}.`]),
		...(undated === undefined ? [] : [`CHANGELOG.md: ${undated} has no date.`]),
	];
}

module.exports = { placeholders };
