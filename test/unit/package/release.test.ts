import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../../lab/paths';

const workflows = join(root, '.github', 'workflows');
const files = readdirSync(workflows);

interface Step {
	uses?: string;
	run?: string;
}

interface Job {
	uses?: string;
	permissions?: Record<string, string>;
	strategy?: { matrix: { files?: string[] } };
	steps?: Step[];
}

interface Workflow {
	on: Record<string, unknown>;
	permissions?: Record<string, string>;
	jobs: Record<string, Job>;
}

function read(file: string): string {
	return readFileSync(join(root, file), 'utf8');
}

function workflow(file: string): Workflow {
	return parse(read(join('.github', 'workflows', file))) as Workflow;
}

function stepsOf(file: string): Step[] {
	return Object.values(workflow(file).jobs).flatMap(({ uses, steps = [] }) => [{ uses }, ...steps]);
}

describe('the workflows of the repository', () => {
	it.each(files)('%s names every action by a full commit hash and says its version', (file) => {
		const used = stepsOf(file).flatMap(({ uses }) => (uses === undefined ? [] : [uses]));

		expect(used).not.toEqual([]);
		for (const uses of used) {
			expect(uses).toMatch(/^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/);
			expect(read(join('.github', 'workflows', file))).toMatch(
				new RegExp(`uses: ${uses} # v\\d+\\.\\d+\\.\\d+$`, 'm'),
			);
		}
	});

	it.each(files)('%s may only read, unless a job says otherwise', (file) => {
		expect(workflow(file).permissions).toEqual({ contents: 'read' });
	});

	it.each(['ci.yml', 'publish.yml'])('%s runs the whole check', (file) => {
		expect(stepsOf(file).map(({ run }) => run)).toContain('.ci/run');
	});

	it('the benchmark is run regularly, with its goals', () => {
		expect(workflow('benchmark.yml').on).toHaveProperty('schedule');
		expect(stepsOf('benchmark.yml').map(({ run }) => run)).toContain('npm run bench');
	});

	it('the mutation score is measured regularly, of every folder of the service and of the polling core', () => {
		const { on, jobs } = workflow('mutation.yml');
		const rooms = readdirSync(join(root, 'service'), { withFileTypes: true }).flatMap((room) =>
			room.isDirectory() ? [`service/${room.name}/**/*.ts`] : [],
		);
		const triggers = ['AgentLeadsTrigger', 'AgentInventoryTrigger'].map(
			(node) => `nodes/${node}/*.ts`,
		);
		const shared = ['nodes/common/polling/**/*.ts', 'nodes/common/runs/**/*.ts'];
		const files = ['service/*.ts', ...rooms, ...triggers, ...shared];

		expect(on).toHaveProperty('schedule');
		expect([...(jobs.mutation?.strategy?.matrix.files ?? [])].sort()).toEqual(files.sort());
	});

	it('what is published is the tarball that was tested, with provenance', () => {
		const [job] = Object.values(workflow('publish.yml').jobs);
		const commands = (job?.steps ?? []).flatMap(({ run }) => (run === undefined ? [] : [run]));

		const publish = 'npm publish .tmp/package.tgz --provenance --access public';

		expect(commands.filter((run) => run.includes('npm publish'))).toEqual([publish]);
		expect(commands.indexOf(publish)).toBeGreaterThan(commands.indexOf('.ci/run'));
		expect(commands.indexOf('.ci/run')).toBeGreaterThan(commands.indexOf('npm run release:check'));
		expect(commands).toContain('npm run release:check');
		expect(job?.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
	});
});

describe('the changelog', () => {
	const versions = [...read('CHANGELOG.md').matchAll(/^## \[(.+?)\]/gm)].map(([, name]) => name);

	it('has an entry for the version of the package, as the newest', () => {
		const { version } = JSON.parse(read('package.json')) as { version: string };

		expect(versions[0]).toBe(version);
	});

	it('has one entry for each version', () => {
		expect(new Set(versions).size).toBe(versions.length);
	});
});
