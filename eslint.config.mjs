import { existsSync, readdirSync } from 'node:fs';

import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

/** The folders of the APIs. */
const APIS = readdirSync('service').filter((room) => existsSync(`service/${room}/integration.ts`));

/** The floors of service/, lowest first. A room may import what lies below it, and no room of its own floor. */
const FLOORS = [
	['failure', 'basics'],
	['words'],
	['http'],
	['auth'],
	['integration'],
	['session'],
	APIS,
	['credentialCheck'],
];

const OF_SESSION = {
	regex: '/service/(http/(?!retry$)|auth/)',
	message:
		'A node talks to the service through service/session. Only the limits of its retries are in service/http/retry.',
};

const OF_OTHER_NODES = {
	regex: '^(\\.\\./)+Agent',
	message: 'What nodes share is in nodes/common.',
};

/** The rules of n8n's own scanner for what is published, strict TypeScript for everything. */
export default tseslint.config(
	{
		ignores: ['dist/**', '.tmp/**', '.n8n/**', 'coverage/**', '**/node_modules/**'],
	},
	{ linterOptions: { reportUnusedDisableDirectives: 'error' } },
	...tseslint.configs.recommendedTypeChecked.map((config) => ({
		...config,
		files: ['**/*.ts'],
	})),
	{
		files: ['**/*.ts'],
		languageOptions: {
			parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
		},
		rules: {
			'@typescript-eslint/no-explicit-any': 'error',
			'@typescript-eslint/consistent-type-imports': 'error',
			'@typescript-eslint/no-unnecessary-condition': 'off',
			'@typescript-eslint/switch-exhaustiveness-check': 'error',
			eqeqeq: 'error',
			'no-console': 'error',
		},
	},
	{
		// Comments are free. The length of classes is held by scripts/sizes.mjs.
		files: ['{service,nodes,credentials}/**/*.ts'],
		rules: {
			'max-lines': ['error', { max: 280, skipBlankLines: true, skipComments: true }],
			'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
		},
	},
	{
		files: ['{bench,soak}/**/*.ts'],
		rules: { 'no-console': 'off' },
	},
	{
		files: ['test/**/*.ts'],
		rules: {
			'no-restricted-syntax': [
				'error',
				{
					selector:
						'CallExpression[callee.property.name="toMatchObject"] Property > Literal.value[regex]',
					message:
						'toMatchObject takes any text for a regular expression: use expect.stringMatching.',
				},
			],
		},
	},
	{
		...n8nCommunityNodesPlugin.configs.recommended,
		files: ['package.json', '{nodes,credentials,service}/**/*.ts'],
		rules: asErrors(n8nCommunityNodesPlugin.configs.recommended.rules),
	},
	{
		files: ['package.json', '**/*.json'],
		languageOptions: { parser: tseslint.parser },
	},
	{
		files: ['package.json'],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		rules: n8nNodesBase.configs.community.rules,
	},
	{
		files: ['credentials/**/*.ts'],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
		},
	},
	...FLOORS.flatMap((floor, index) =>
		floor.map((room) => {
			const others = [...floor, ...FLOORS.slice(index + 1).flat()].filter((each) => each !== room);
			return directions(`service/{${room}.ts,${room}/**/*.ts}`, [
				forbidden(['nodes', 'credentials'], 'The client of the service knows no node.'),
				forbidden(
					others,
					'A room imports only what lies below it: see FLOORS in eslint.config.mjs.',
				),
			]);
		}),
	),
	directions('credentials/**/*.ts', [forbidden(['nodes'], 'A credential knows no node.')]),
	directions('nodes/**/*.ts', [OF_SESSION, OF_OTHER_NODES]),
	directions('nodes/Agent{LeadsTrigger/targetProgress,InventoryTrigger/compare}.ts', [
		OF_SESSION,
		OF_OTHER_NODES,
		{
			regex: '^(n8n-workflow$|\\.\\./[^.])',
			allowTypeImports: true,
			message: 'The progress of a target is pure: n8n and the poll stay outside.',
		},
	]),
);

/** Which imports the files of a folder must not have. */
function directions(files, patterns) {
	return {
		files: [files],
		rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] },
	};
}

/** Imports of these folders or files of ours. */
function forbidden(rooms, message) {
	return { regex: `^(\\./|(\\.\\./)+)(${rooms.join('|')})(/|$)`, message };
}

/** A warning of n8n's plugin counts as a finding here. */
function asErrors(rules) {
	return Object.fromEntries(Object.keys(rules).map((name) => [name, 'error']));
}
