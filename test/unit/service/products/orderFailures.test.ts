import { describe, expect, it } from '@jest/globals';

import {
	heldUp,
	othersTakeLong,
	sentByOther,
	stoppedInDoubt,
} from '../../../../service/products/orderFailures';

const NOT_TWICE = 'the node checks first, and does not order again what the service shows.';

describe('an order that', () => {
	it('waited too long for its turn was not sent, and may pass', () => {
		expect(heldUp()).toMatchObject({
			kind: 'busy',
			details: { requestKind: 'data', isUnsent: true, hadNoTurn: true },
		});
	});

	it.each([
		['has nothing in doubt', {}, 'orderNotSent'],
		['is in doubt', { sentAt: 0 }, 'orderUnknown'],
	])('waits for another run, and %s, is not repeated', (_, attempt, helpCode) => {
		expect(othersTakeLong(attempt)).toMatchObject({
			kind: 'busy',
			helpCode,
			isFinal: true,
			details: { isUnsent: true, remedy: 'Run the workflow again once that run has ended.' },
		});
	});

	it('another credential has sent can be looked for with that one', () => {
		expect(sentByOther()).toMatchObject({
			kind: 'missing',
			details: {
				remedy: `Check with Get Many and that credential, or run the workflow with it again: ${NOT_TWICE}`,
			},
		});
	});

	it('n8n itself has stopped may be looked for a little later', () => {
		expect(stoppedInDoubt(new Error('Database closed'))).toMatchObject({
			kind: 'unavailable',
			helpCode: 'orderUnknown',
			message: 'It is not known whether it was activated: Database closed',
			details: { remedy: `Run the workflow again in a few minutes: ${NOT_TWICE}` },
		});
	});
});
