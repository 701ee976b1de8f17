import { describe, expect, it } from '@jest/globals';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { FieldError } from '../../../../nodes/common/fieldError';
import { asNodeError, toNodeError } from '../../../../nodes/common/nodeErrors';
import { ServiceError } from '../../../../service/failure';
import { failureIn } from '../../../../service/http/answer';
import { LEADS_INTEGRATION } from '../../../../service/leads/integration';
import { PAGES_URL } from '../../../lab/paths';
import { workflowNode } from '../../../lab/workflowNode';

const node = workflowNode();

const ENTRIES = `${PAGES_URL}docs/troubleshooting.md`;

const linkTo = (code: string) =>
	`<a href="${ENTRIES}#${code.toLowerCase()}" target="_blank">Troubleshooting: ${code}</a>`;

/** The failure that an answer with this Retry-After tells of. */
function refusal(statusCode: number, retryAfter: string): ServiceError {
	const { words } = LEADS_INTEGRATION;
	const answer = { statusCode, headers: { 'retry-after': retryAfter }, body: '' };
	const failure = failureIn({ requestKind: 'data', words, secrets: [] }, answer);
	if (!failure) throw new Error('The answer was accepted');
	return failure;
}

describe('the error in n8n', () => {
	it('has the status of the answer, and declares the wait', () => {
		const error = refusal(429, '300').afterTries(1, 0);

		const nodeError = toNodeError(node, error, { itemIndex: 4 });

		expect(nodeError).toBeInstanceOf(NodeApiError);
		expect(nodeError).toMatchObject({
			message: 'The service is busy: too many requests (429)',
			httpCode: '429',
			failure: { cause: 'rate-limited', retryAfterMs: 300_000 },
			context: { itemIndex: 4, code: 'busy' },
		});
		expect(nodeError.description).toContain('asked for a wait of 5 minutes. ');
	});

	it.each([
		['busy', { cause: 'rate-limited' }],
		['unavailable', { cause: 'temporarily-unavailable' }],
		['credential', { cause: 'credential-invalid' }],
		['forbidden', { cause: 'credential-invalid' }],
		['rejected', { cause: 'configuration-invalid' }],
		['missing', { cause: 'configuration-invalid' }],
		['failed', { cause: 'configuration-invalid' }],
		['foreign', { cause: 'configuration-invalid' }],
	] as const)('declares for %s: %j', (kind, declared) => {
		expect(toNodeError(node, new ServiceError(kind, 'x')).failure).toEqual(declared);
	});

	it('says how to set a field, at its item, and declares that waiting does not help', () => {
		const error = asNodeError(node, new FieldError('Limit', 'is empty', 'Set it.'), {
			itemIndex: 2,
		});

		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error).toMatchObject({
			message: '“Limit” is empty',
			description: `Set it. ${linkTo('field')}`,
			context: { itemIndex: 2, code: 'field' },
			failure: { cause: 'configuration-invalid' },
		});
	});

	it.each([
		['panel', '“Limit” is empty', `Set it. ${linkTo('field')}`],
		['text', '“Limit” is empty', `Set it. See ${ENTRIES}#field`],
		['message', `“Limit” is empty. Set it. See ${ENTRIES}#field`, `Set it. See ${ENTRIES}#field`],
	] as const)('names the entry as it is shown: %s', (shownAs, message, description) => {
		const field = new FieldError('Limit', 'is empty', 'Set it.');

		expect(asNodeError(node, field, { shownAs })).toMatchObject({ message, description });
	});

	it.each([
		['panel', '&lt;a href="https://example.com" title="'],
		['text', '<a href="https://example.com" title="'],
	] as const)('has no link but its own, whatever the service says: %s', (shownAs, words) => {
		const body = { errors: [{ message: '<a href="https://example.com" title="' }] };
		const origin = { requestKind: 'data', words: LEADS_INTEGRATION.words, secrets: [] } as const;
		const failure = failureIn({ ...origin, secrets: [] }, { statusCode: 400, headers: {}, body });

		const error = asNodeError(node, failure, { shownAs });

		expect(error?.description).toContain(`The service says: “${words}”.`);
	});

	it('is not made of what anybody else has thrown', () => {
		expect(asNodeError(node, new Error('x'))).toBeUndefined();
	});
});
