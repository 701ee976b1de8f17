import { describe, expect, it } from '@jest/globals';

import type { Origin } from '../../../../service/http/answer';
import { failureIn } from '../../../../service/http/answer';
import { toNodeError } from '../../../../nodes/common/nodeErrors';
import { LEADS_INTEGRATION } from '../../../../service/leads/integration';
import fc from '../../../lab/properties';
import { workflowNode } from '../../../lab/workflowNode';

const { words } = LEADS_INTEGRATION;

const NODE = workflowNode();

describe('an answer of any kind', () => {
	const statuses = fc.oneof(fc.integer({ min: 100, max: 599 }), fc.constantFrom(200, 202, 400));
	// Several errors are joined by semicolons: one of its own would look like an empty error.
	const stringUnit = fc.string({ minLength: 1, maxLength: 1 }).filter((letter) => letter !== ';');
	const errors = fc.jsonValue({ maxDepth: 5, stringUnit });
	const bodies = fc.oneof(
		fc.jsonValue({ maxDepth: 5, stringUnit }),
		fc.record({ errors, applicants: fc.constantFrom([], null, [{ id: '1' }]) }),
		fc.record({ errors, id: fc.constantFrom('a', 7, '', null) }),
		fc.record({ errors, title: errors, detail: errors, code: errors, error: errors }),
	);

	it('is data, or an error in a few plain words', () => {
		const origin: Origin = { requestKind: 'data', words, secrets: ['s3cret'] };
		fc.assert(
			fc.property(statuses, bodies, (statusCode, body) => {
				const error = failureIn(origin, { statusCode, headers: {}, body });
				if (!error) {
					expect(statusCode).toBeGreaterThanOrEqual(200);
					expect(statusCode).toBeLessThan(300);
					return;
				}
				const { reason = '', code = '' } = error.details;
				expect(reason.length).toBeLessThan(330);
				expect(`${reason}${code}`).not.toMatch(/[\n\r\t]|\[object|undefined: |^; |; $/);
				expect(toNodeError(NODE, error).description).toBeTruthy();
			}),
			{ numRuns: 3_000 },
		);
	});
});
