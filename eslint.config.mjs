import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

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
);

/** A warning of n8n's plugin counts as a finding here. */
function asErrors(rules) {
	return Object.fromEntries(Object.keys(rules).map((name) => [name, 'error']));
}
