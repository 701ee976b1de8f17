// @ts-check
// Loads tests and what they import without writing anything: the test runner keeps what it compiles in a folder.
const { readFileSync } = require('node:fs');
const { createRequire, isBuiltin, Module } = require('node:module');
const { join, relative, sep } = require('node:path');

const { createLogger } = require('bs-logger');
const { factory: hoistMocks } = require('ts-jest/dist/transformers/hoist-jest');
const ts = require('typescript');

const root = join(__dirname, '../../..');

/** What the package has in place of its sources: the scripts that its package.json names, and OpenPGP.js. */
const PUBLISHED = /^(?:(?:nodes|credentials)\/.+\.(?:node|credentials)|vendor\/openpgp)\.ts$/;

/** @type {import('typescript').TransformerFactory<import('typescript').SourceFile>} */
const hoist = hoistMocks(
	/** @type {import('ts-jest').TsCompilerInstance} */ ({
		configSet: { compilerModule: ts, logger: createLogger({ targets: [] }) },
	}),
);

/** The modules of a test file: its own, the lab's, and the built package in place of the package's sources. */
class Modules {
	/** @type {Map<string, () => unknown>} */
	#mocks = new Map();

	/** @type {Map<string, unknown>} */
	#mocked = new Map();

	/** Node's own way. */
	#load = Module.prototype.require;

	/** @type {string} */
	#package;

	/** @type {(from: NodeModule) => unknown} */
	#globals;

	/**
	 * @param {string} packageFolder the built package
	 * @param {(from: NodeModule) => unknown} globals what a module gets for `@jest/globals`
	 */
	constructor(packageFolder, globals) {
		this.#package = packageFolder;
		this.#globals = globals;
		preferSources();
		const modules = this;
		const load = this.#load;
		/** @param {string} id */
		Module.prototype.require = function (id) {
			if (isForeign(this.filename)) return load.call(this, id);
			if (id === '@jest/globals') return modules.#globals(this);
			const path = modules.#resolve(this, id);
			return modules.#mocks.has(path) ? modules.#mock(path) : load.call(this, path);
		};
	}

	/**
	 * @param {NodeModule} from
	 * @param {string} id
	 * @param {() => unknown} make
	 */
	mock(from, id, make) {
		this.#mocks.set(this.#resolve(from, id), make);
		this.#mocked.delete(this.#resolve(from, id));
	}

	/**
	 * @param {NodeModule} from
	 * @param {string} id
	 */
	unmock(from, id) {
		this.#mocks.delete(this.#resolve(from, id));
	}

	/**
	 * @param {NodeModule} from
	 * @param {string} id
	 * @returns {unknown}
	 */
	actual(from, id) {
		return this.#load.call(from, this.#resolve(from, id));
	}

	/** As in a process that has just begun, but for n8n's modules, whose classes others still hold. */
	reset() {
		this.#mocked.clear();
		for (const path of Object.keys(require.cache)) if (!isForeign(path)) delete require.cache[path];
	}

	forgetMocks() {
		this.#mocks.clear();
	}

	/** @param {string} path */
	#mock(path) {
		if (!this.#mocked.has(path)) this.#mocked.set(path, this.#mocks.get(path)?.());
		return this.#mocked.get(path);
	}

	/**
	 * @param {NodeModule} from
	 * @param {string} id
	 */
	#resolve(from, id) {
		if (isBuiltin(id)) return id;
		const path = createRequire(from.filename).resolve(id);
		const source = relative(root, path).split(sep).join('/');
		return PUBLISHED.test(source)
			? join(this.#package, 'dist', source.replace(/\.ts$/, '.js'))
			: path;
	}
}

/** @param {string} path of a module that is neither the package's nor the tests' */
const isForeign = (path) => path.includes(`${sep}node_modules${sep}`) || path.startsWith(__dirname);

/** A node's `.node.ts` is meant where its `.node.json` lies beside it: the first kind of file that is there is taken. */
function preferSources() {
	const others = { ...require.extensions };
	for (const kind of Object.keys(others)) delete require.extensions[kind];
	Object.assign(require.extensions, { '.ts': compile }, others);
}

/**
 * @param {NodeModule} module
 * @param {string} path
 */
function compile(module, path) {
	const { outputText } = ts.transpileModule(readFileSync(path, 'utf8'), {
		fileName: path,
		compilerOptions: {
			target: ts.ScriptTarget.ES2022,
			module: ts.ModuleKind.CommonJS,
			esModuleInterop: true,
			inlineSourceMap: true,
		},
		transformers: { before: [hoist] },
	});
	/** @type {NodeModule & { _compile(script: string, path: string): void }} */ (module)._compile(
		outputText,
		path,
	);
}

module.exports = { Modules };
