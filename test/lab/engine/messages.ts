import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { ICredentialDataDecryptedObject, IDataObject, INodeParameters } from 'n8n-workflow';

import type { NodeError } from '../../../nodes/common/nodeErrors';
import { LocalServer } from '../localServer';
import { entriesOfTroubleshooting, patternOf } from '../documentation';
import type { Bench } from './bench';
import { shortenBackoff } from './bench';
import type { NodeRun } from './engine';
import { InventoryBench } from './inventory';
import { LeadsBench } from './leads';
import { PollHost } from './poll';
import type { Fault } from './products';
import { ProductsBench } from './products';

/** What a person sees: its text, and its code if n8n shows it as an error. */
interface Seen {
	message?: string;
	code?: unknown;
}

/** A message as troubleshooting has it, and how a person comes to see it: a text alone shows no code. */
type Case = [message: string, see: () => Promise<Seen | string | undefined>];

type Prepare<B> = (bench: B) => unknown;

/**
 * Holds messages of troubleshooting against what is really shown, and their codes. That each of them is held by one of these
 * tests, is in test/unit/package/documentedMessages.test.ts.
 */
export function holdsMessages(cases: Case[]): void {
	const entries = entriesOfTroubleshooting();

	beforeEach(() => {
		shortenBackoff();
	});

	afterEach(() => {
		jest.useRealTimers();
		jest.restoreAllMocks();
	});

	it.each(cases)('%s', async (message, see) => {
		const listing = entries.filter(({ messages }) => messages.includes(message));
		const seen = await see();

		expect(listing).toHaveLength(1);
		expect(typeof seen === 'string' ? seen : seen?.message).toMatch(patternOf(message));
		if (typeof seen === 'object') expect(seen.code).toBe(listing[0]?.code);
		else expect([undefined, listing[0]?.code]).toContain(codeInLog(seen));
	});
}

function codeInLog(line = ''): string | undefined {
	return /\(code: (\w+)\)$/.exec(line)?.[1];
}

/** Uses a bench and stops it. */
export async function used<B extends { stop: () => Promise<void> }, T>(
	start: Promise<B>,
	use: (bench: B) => Promise<T>,
): Promise<T> {
	const bench = await start;
	return await use(bench).finally(async () => await bench.stop());
}

/** The error of a run, or else the note above its output. */
export function shownBy({ error, hints }: NodeRun): Seen | string | undefined {
	return error ? seenIn(error) : hints[0]?.message;
}

export function seenIn({ message, context }: NodeError): Seen {
	return { message, code: context.code };
}

/** What a person sees of a run of a bench's node. */
const shownIn =
	<B extends Bench>(kind: { start: () => Promise<B> }, usual: INodeParameters) =>
	(parameters: INodeParameters = {}, prepare: Prepare<B> = () => undefined, items = 1) =>
	async () =>
		await used(kind.start(), async (bench) => {
			await prepare(bench);
			const input = Array.from({ length: items }, () => ({ json: {} }));
			return shownBy(await bench.run({ ...usual, ...parameters }, { input }));
		});

const ONCE = { options: { maxTries: 1 } };

export const leads = shownIn(LeadsBench, ONCE);
export const inventory = shownIn(InventoryBench, { operation: 'getAll' });
export const products = shownIn(ProductsBench, ONCE);

export const trigger =
	(parameters: INodeParameters = {}, state: IDataObject = {}) =>
	async () =>
		await used(LeadsBench.start(), async (bench) => {
			const host = new PollHost(bench, parameters);
			host.state = state;
			return seenIn(await host.failure(host.activate()));
		});

/** Has the credential of a bench hold something else. */
export const credential =
	(changes: ICredentialDataDecryptedObject) =>
	({ stored }: Bench) =>
		Object.assign(stored, changes);

/** Has all requests for a path fail. */
export const failing =
	(path: string | RegExp, fault: Partial<Fault> & { kind: Fault['kind'] }) =>
	({ sandbox }: Bench) =>
		sandbox.faults.add({ path, times: Infinity, ...fault } as Fault);

export const status = (
	path: string | RegExp,
	code: number,
	body: 'api' | 'empty' | 'json' = 'api',
) => failing(path, { kind: 'status', status: code, body });

/** Presses “Test” in a credential; what to do follows the message. */
export const tested =
	<B extends Bench>(kind: { start: () => Promise<B> }, prepare: Prepare<B>) =>
	async () =>
		await used(kind.start(), async (bench) => {
			await prepare(bench);
			const { message } = await bench.testCredential();
			return message.replace(
				/\. (?:The service says:|The service’s code|Ask the operator) .*/s,
				'',
			);
		});

/** An API that answers each request with the same. */
export async function always(body: unknown): Promise<string> {
	const { url } = await LocalServer.start((_, response) => {
		response
			.setHeader('content-type', 'application/json')
			.end(typeof body === 'string' ? body : JSON.stringify(body));
	});
	return url;
}

/** The path of the request for a token. */
export const TOKEN = /\/(oauth2\/)?token$/;

/** The path of the request for leads. */
export const LEADS = '/applicant-leads';
