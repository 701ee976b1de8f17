// @ts-check
const { gunzipSync } = require('node:zlib');

const BLOCK = 512;
const EXCERPT = 60;

/** @typedef {{ name: string, header: string, content: Buffer }} Entry `header`: all that is said of it but its size */

/**
 * Why two packages differ, file by file: a sentence each, none if they are the same to the byte.
 *
 * @param {Buffer} published
 * @param {Buffer} built
 */
function archiveDifferences(published, built) {
	if (published.equals(built)) return [];
	const [theirs, ours] = [entriesOf(published), entriesOf(built)];
	const names = [...new Set([...theirs, ...ours].map(({ name }) => name))];
	const differences = names.flatMap((name) => {
		const [there, here] = [theirs, ours].map((all) => all.filter((each) => each.name === name));
		return differencesOf(name, there ?? [], here ?? []);
	});
	if (differences.length > 0) return differences;
	if (theirs.every(({ name }, index) => name === ours[index]?.name))
		return ['All files are the same: only the compression or the padding of the archive differs.'];
	return ['All files are the same, in another order.'];
}

/**
 * @param {string} name
 * @param {Entry[]} there
 * @param {Entry[]} here
 */
function differencesOf(name, there, here) {
	const [published, built] = [there[0], here[0]];
	if (!built) return [`${name}: only in the published package`];
	if (!published) return [`${name}: missing in the published package`];
	if (there.length > 1 || here.length > 1) return [`${name}: more than once in an archive`];
	if (!published.content.equals(built.content))
		return [`${name}: ${contentDifference(published.content, built.content)}`];
	return published.header === built.header
		? []
		: [`${name}: permissions, owner, time or type differ`];
}

/**
 * @param {Buffer} published
 * @param {Buffer} built
 */
function contentDifference(published, built) {
	const at = published.findIndex((byte, index) => byte !== built[index]);
	const offset = at === -1 ? published.length : at;
	const line = published.subarray(0, offset).toString('latin1').split('\n').length;
	const excerpt = (/** @type {Buffer} */ content) =>
		JSON.stringify(content.subarray(offset, offset + EXCERPT).toString());
	return `${published.length} bytes published, ${built.length} built; from byte ${offset}, line ${line}, on: ${excerpt(published)}, not ${excerpt(built)}`;
}

/**
 * What is in a tar archive, in its order. A long path has an entry of its own in front, which counts as a file.
 *
 * @param {Buffer} archive gzipped
 * @returns {Entry[]}
 */
function entriesOf(archive) {
	const tar = gunzipSync(archive);
	/** @type {Entry[]} */
	const entries = [];
	for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0;) {
		const header = tar.subarray(at, at + BLOCK);
		const text = (/** @type {number} */ from, /** @type {number} */ to) =>
			header.toString('utf8', from, to).replace(/\0.*$/s, '');
		const size = Number.parseInt(text(124, 136), 8);
		entries.push({
			name: [text(345, 500), text(0, 100)].filter((part) => part !== '').join('/'),
			// Between them are the size and the checksum, which follow from the rest.
			header: [text(100, 124), text(136, 148), header.toString('latin1', 156, 345)].join(),
			content: tar.subarray(at + BLOCK, at + BLOCK + size),
		});
		at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
	}
	return entries;
}

module.exports = { archiveDifferences };
