import { describe, expect, it } from '@jest/globals';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { FieldError } from '../../../../nodes/common/fieldError';
import { asNodeError, toNodeError } from '../../../../nodes/common/nodeErrors';
import { ServiceError } from '../../../../service/failure';
import { failureIn } from '../../../../service/http/answer';
import { LEADS_INTEGRATION } from '../../../../service/leads/integration';
import { workflowNode } from '../../../lab/workflowNode';

const node = workflowNode();

const ENTRIES =
	'https://github.com/agent-integration/n8n-nodes-agent-integration/blob/main/docs/troubleshooting.md';

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
	it('keeps the cause with its status and Retry-After, and declares the wait', () => {
		const error = refusal(429, '300').afterTries(1, 0);

		const nodeError = toNodeError(node, error, { itemIndex: 4 });

		expect(nodeError).toBeInstanceOf(NodeApiError);
		expect(nodeError).toMatchObject({
			message: 'The service is busy: too many requests (429)',
			httpCode: '429',
			failure: { cause: 'rate-limited', retryAfterMs: 300_000 },
			context: { itemIndex: 4, code: 'busy' },
			cause: { response: { status: 429, headers: { 'retry-after': '300' } } },
		});
		expect(nodeError.description).toContain('asked for a wait of 5 minutes. ');
	});

	it('tells no wait where a Retry-After asks for none', () => {
		expect(toNodeError(node, refusal(429, '0')).description).toMatch(
			/again in a few minutes\. .*Max Tries/,
		);
	});

	it('tells the wait that a service in trouble asks for', () => {
		const error = refusal(503, '300').afterTries(1, 0);

		expect(toNodeError(node, error).description).toBe(
			`Tried once. The service asked for a wait of 5 minutes. Run the workflow again after that, or raise Max Tries and Max Wait in the options. If it continues, check the addresses in the credential; if they are right, ask the operator of the service. ${linkTo('serviceFault')}`,
		);
	});

	it('hands on what was understood of a Retry-After, and nothing else', () => {
		expect(toNodeError(node, refusal(429, '900')).cause).toMatchObject({
			response: { headers: { 'retry-after': '900' } },
		});

		const odd = toNodeError(node, refusal(429, 's3cret'));

		expect(odd.cause).toMatchObject({ response: { status: 429, headers: {} } });
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

	it('tells a failure, what to do and where there is more in the message, if n8n shows nothing else', () => {
		const occasion = { isPoll: true, shownAs: 'message' } as const;

		const { message } = toNodeError(node, new ServiceError('foreign', 'It is a page'), occasion);

		expect(message).toMatch(
			/^It is a page\. Check the address .* What arrives in the meantime is delivered once it works again\. See https:.*#wrongaddress$/,
		);
	});

	it.each([
		['panel', '“Limit” is empty', `Set it. ${linkTo('field')}`],
		['text', '“Limit” is empty', `Set it. See ${ENTRIES}#field`],
		['message', `“Limit” is empty. Set it. See ${ENTRIES}#field`, `Set it. See ${ENTRIES}#field`],
		['model', '“Limit” is empty. Set it. (code: field)', 'Set it.'],
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

	it('has no link but its own, whatever a field holds', () => {
		const remedy = 'It is "<a href=\'https://example.com\'>R&D</a>". Set it.';

		expect(asNodeError(node, new FieldError('Limit', 'is empty', remedy))).toMatchObject({
			description: `It is "&lt;a href='https://example.com'&gt;R&amp;D&lt;/a&gt;". Set it. ${linkTo('field')}`,
		});
	});

	it('keeps its code where n8n stores it and hands it on', () => {
		const error = asNodeError(node, new FieldError('Limit', 'is empty', 'Set it.'));

		expect(JSON.parse(JSON.stringify(error))).toMatchObject({ context: { code: 'field' } });
	});

	it.each([
		['busy', 'If this happens often, poll less often.'],
		['unavailable', 'If it continues, check the addresses'],
	] as const)('says in a poll that n8n asks again: %s', (kind, more) => {
		const { description } = toNodeError(node, new ServiceError(kind, 'x'), { isPoll: true });

		expect(description).toContain('n8n polls again automatically');
		expect(description).toContain(more);
	});

	it('is not made of what anybody else has thrown', () => {
		expect(asNodeError(node, new Error('x'))).toBeUndefined();
	});
});
