import { describe, expect, it } from '@jest/globals';
import type { INode, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { inNodeErrors } from '../../../../../nodes/common/polling/inNodeErrors';
import { damaged, ofAnotherVersion } from '../../../../../nodes/common/storedValues';
import { ServiceError } from '../../../../../service/failure';

const NODE: INode = {
	...{ id: 'node-1', name: 'Trigger', type: 'trigger', typeVersion: 1 },
	...{ position: [0, 0], parameters: {} },
};

async function errorOf(error: Error, mode = 'trigger'): Promise<unknown> {
	const context = { getNode: () => NODE, getMode: () => mode } as unknown as IPollFunctions;
	const work = async () => await Promise.reject(error);
	return await inNodeErrors(context, work).catch((thrown: unknown) => thrown);
}

describe('what a poll fails of', () => {
	it('is nothing if its work is done', async () => {
		const context = {} as unknown as IPollFunctions;

		expect(await inNodeErrors(context, async () => await Promise.resolve(7))).toBe(7);
	});

	it('is an error of n8n’s for a failure of the service, which says whether waiting helps', async () => {
		const error = await errorOf(new ServiceError('busy', 'Busy', { retryAfterMs: 5_000 }));

		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({
			message: 'Busy',
			failure: { cause: 'rate-limited', retryAfterMs: 5_000 },
		});
	});

	it('says what the next poll does, unless a person tests the node', async () => {
		const refused = new ServiceError('rejected', 'Refused');
		const [poll, manual] = await Promise.all([errorOf(refused), errorOf(refused, 'manual')]);

		const advices = [poll, manual].map((error) => (error as NodeApiError).description ?? '');

		const isDeliveredLater = advices.map((advice) => advice.includes('in the meantime'));
		expect(isDeliveredLater).toEqual([true, false]);
	});

	it.each([
		[
			'a newer version',
			ofAnotherVersion(2),
			'The stored progress has version 2',
			/^A newer version of this package wrote it: .*under another name\./,
		],
		[
			'no version at all',
			ofAnotherVersion('2'),
			'The stored progress is damaged at "2"',
			/^It was changed by hand, .*under another name\./,
		],
		[
			'damage',
			damaged(undefined),
			'The stored progress is damaged at a missing value',
			/^It was changed by hand, .*under another name\./,
		],
	])('is told for progress of %s, and does not pass', async (_, unreadable, message, advice) => {
		const error = await errorOf(unreadable);

		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error).toMatchObject({
			message,
			description: expect.stringMatching(advice),
			failure: { cause: 'configuration-invalid' },
			context: { code: 'progressUnreadable' },
		});
	});

	it('is left as it is if it is nobody’s here', async () => {
		const mistake = new Error('a mistake');

		expect(await errorOf(mistake)).toBe(mistake);
	});
});
