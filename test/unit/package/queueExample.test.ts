import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from '@jest/globals';
import { parse } from 'yaml';

import { postgresSettings, redisSettings, WORKERS } from '../../lab/proof/services';
import { root } from '../../lab/paths';

interface Service {
	image?: string;
	command?: string | string[];
	environment?: Record<string, string>;
	volumes?: string[];
	deploy?: { replicas: number };
	stop_grace_period?: string;
	depends_on?: Record<string, { condition: string }>;
	healthcheck?: { test: string[] };
}

function read(...path: string[]): string {
	return readFileSync(join(root, ...path), 'utf8');
}

const text = read('examples', 'queue-mode', 'compose.yaml');
const { services, volumes } = parse(text, { merge: true }) as {
	services: Record<string, Service>;
	volumes: Record<string, null>;
};

/** What the tests of queue mode set, in the words of Compose, where secrets come from a file. */
function secret(name: string): string {
	return `\${${name}:?Set it in .env}`;
}

const settings = {
	EXECUTIONS_MODE: 'queue',
	N8N_ENCRYPTION_KEY: secret('N8N_ENCRYPTION_KEY'),
	...postgresSettings('postgres', 5432, secret('POSTGRES_PASSWORD')),
	...redisSettings('redis', 6379, secret('REDIS_PASSWORD')),
};

it('the Compose file starts what the tests of queue mode start', () => {
	const { main, worker } = services;

	expect(main?.environment).toMatchObject(settings);
	expect(worker?.environment).toEqual(main?.environment);
	expect(main?.command).toBeUndefined();
	expect(worker?.command).toBe('worker');
	expect(worker?.deploy?.replicas).toBe(WORKERS);
});

it('every process has the n8n of the tests and the package in this version', () => {
	const { version } = JSON.parse(read('package.json')) as { version: string };

	const e2e = JSON.parse(read('test', 'e2e', 'package.json')) as {
		dependencies: { n8n: string };
	};

	for (const name of ['nodes', 'main', 'worker']) {
		expect(services[name]?.image).toBe(`n8nio/n8n:${e2e.dependencies.n8n}`);
		expect(services[name]?.volumes).toEqual(['n8n:/home/node/.n8n']);
	}

	const [, script] = services.nodes?.command ?? [];

	expect(script).toContain(`n8n-nodes-agent-integration@${version}`);
});

it('the package is installed without a secret', () => {
	expect(services.nodes?.environment).toEqual({});
});

it('runs have longer to end than n8n waits for them, and workers start once the database is up to date', () => {
	const { main, worker } = services;

	for (const service of [main, worker]) expect(service?.stop_grace_period).toBe('40s');
	expect(main?.healthcheck?.test.every((part) => typeof part === 'string')).toBe(true);
	expect(worker?.depends_on?.main?.condition).toBe('service_healthy');
});

it('what has to last lies in volumes', () => {
	const used = Object.values(services).flatMap((service) => service.volumes ?? []);

	expect(new Set(used.map((volume) => volume.split(':')[0]))).toEqual(
		new Set(Object.keys(volumes)),
	);
});
