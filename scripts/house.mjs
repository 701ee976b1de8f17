// @ts-check
// node scripts/house.mjs [folder]: how the sources are built, in figures; of this checkout, or of another one to compare with.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import ts from 'typescript';

import { root } from './lib/paths.mjs';
import { main } from './lib/run.mjs';

const SOURCES = ['service', 'nodes', 'credentials'];

await main(async () => {
	const house = resolve(process.argv[2] ?? root);
	const files = SOURCES.flatMap((folder) => sourcesIn(house, folder));
	const service = files.filter(({ path }) => path.startsWith('service/'));
	const rooms = roomsOf(service);
	const figures = {
		'files in service/': service.length,
		'rooms in service/ (folders, and files beside them)': rooms.size,
		'floors in service/': Math.max(...[...rooms.keys()].map((room) => floorOf(rooms, room))),
		'arrows between rooms of service/': sum([...rooms.values()].map(({ size }) => size)),
		'allSettled([ in service/ and nodes/': sum(
			files.map(({ text }) => text.split('allSettled([').length - 1),
		),
		'names that two files declare at their top': homonyms(files).length,
		'longest file': longest(files.map(({ path, text }) => [text.split('\n').length - 1, path])),
		'longest class': longest(files.flatMap((file) => spans(file, ts.isClassDeclaration))),
		'longest function': longest(files.flatMap((file) => spans(file, isFunction))),
	};
	for (const [name, figure] of Object.entries(figures)) console.log(`${name}: ${figure}`);
});

/**
 * @typedef {{ path: string, text: string, source: ts.SourceFile }} Source
 * @typedef {Map<string, Set<string>>} Rooms by room: the rooms it imports from
 */

/**
 * @param {string} house
 * @param {string} folder
 * @returns {Source[]}
 */
function sourcesIn(house, folder) {
	return readdirSync(join(house, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => {
			const path = join(folder, file);
			const text = readFileSync(join(house, path), 'utf8');
			return { path, text, source: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
		});
}

/**
 * @param {Source[]} files
 * @returns {Rooms}
 */
function roomsOf(files) {
	/** @type {Rooms} */
	const rooms = new Map();
	for (const { path, text } of files) {
		const imported = ts
			.preProcessFile(text)
			.importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
			.map(({ fileName }) => join(dirname(path), fileName))
			.filter((file) => file.startsWith('service/'));
		const known = rooms.get(roomOf(path)) ?? new Set();
		for (const file of imported) if (roomOf(file) !== roomOf(path)) known.add(roomOf(file));
		rooms.set(roomOf(path), known);
	}
	return rooms;
}

/** @param {string} path of a file in service/ */
function roomOf(path) {
	return relative('service', path).split('/')[0]?.replace(/\.ts$/, '') ?? path;
}

/**
 * One above the highest room that it stands on.
 * @param {Rooms} rooms
 * @param {string} room
 * @param {string[]} above
 * @returns {number}
 */
function floorOf(rooms, room, above = []) {
	if (above.includes(room)) throw new Error(`Rooms in a circle: ${[...above, room].join(' → ')}`);
	const below = [...(rooms.get(room) ?? [])];
	return 1 + Math.max(0, ...below.map((each) => floorOf(rooms, each, [...above, room])));
}

/** @param {Source[]} files */
function homonyms(files) {
	/** @type {Map<string, number>} */
	const counts = new Map();
	for (const { source } of files) {
		for (const name of new Set(source.statements.flatMap(declaredBy)))
			counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	return [...counts].filter(([, count]) => count > 1).map(([name]) => name);
}

/**
 * What remains of a file when it runs: types leave no name.
 * @param {ts.Statement} statement
 * @returns {string[]}
 */
function declaredBy(statement) {
	if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
		return statement.name ? [statement.name.text] : [];
	if (!ts.isVariableStatement(statement)) return [];
	return statement.declarationList.declarations.flatMap(({ name }) =>
		ts.isIdentifier(name) ? [name.text] : [],
	);
}

/** @param {ts.Node} node */
function isFunction(node) {
	return ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node);
}

/**
 * @param {Source} file
 * @param {(node: ts.Node) => boolean} isMeant
 * @returns {Array<[number, string]>} lines, and what has them
 */
function spans({ path, source }, isMeant) {
	/** @type {Array<[number, string]>} */
	const found = [];
	/** @param {ts.Node} node */
	const visit = (node) => {
		if (isMeant(node)) {
			const from = source.getLineAndCharacterOfPosition(node.getStart()).line;
			const to = source.getLineAndCharacterOfPosition(node.end).line;
			const name = /** @type {ts.FunctionDeclaration} */ (node).name?.getText() ?? '';
			found.push([to - from + 1, `${name} in ${path}`]);
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	return found;
}

/** @param {Array<[number, string]>} found */
function longest(found) {
	const [lines, name] = found.sort(([a], [b]) => b - a)[0] ?? [0, 'none'];
	return `${lines} lines, ${name}`;
}

/** @param {number[]} numbers */
function sum(numbers) {
	return numbers.reduce((total, each) => total + each, 0);
}
