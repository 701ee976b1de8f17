import { jest } from '@jest/globals';
import { CredentialTestContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunction,
	INodeCredentialTestResult,
	INodeParameters,
} from 'n8n-workflow';

import type { Sandbox } from '../sandbox';
import type { CredentialsTable } from './credentials';
import type { NodeRun, NodeUnderTest } from './engine';
import { runNode, startNode } from './engine';
import { passProcessTime } from '../processTime';

export { DAY, HOUR } from '../times';

/** A sandbox service and a credential for it, for tests in n8n's engine. */
export abstract class Bench {
	protected constructor(
		readonly sandbox: Sandbox,
		readonly credentials: CredentialsTable,
		private readonly credentialTest: ICredentialTestFunction,
	) {}

	/** The node of this bench, with parameters beside its usual ones. */
	abstract test(parameters?: INodeParameters, more?: Partial<NodeUnderTest>): NodeUnderTest;

	async run(parameters?: INodeParameters, more?: Partial<NodeUnderTest>): Promise<NodeRun> {
		return await runNode(this.test(parameters, more));
	}

	/** @returns the run, and `cancel`, which ends it as the Stop button does */
	start(parameters?: INodeParameters, more?: Partial<NodeUnderTest>) {
		return startNode(this.test(parameters, more));
	}

	async stop(): Promise<void> {
		await this.sandbox.stop();
	}

	/** What n8n has stored of the credential. */
	get stored(): ICredentialDataDecryptedObject {
		return this.credentials.rows.credential ?? {};
	}

	get clientId(): string {
		const { clientId } = this.stored;
		return typeof clientId === 'string' ? clientId : '';
	}

	/** Presses “Test” in the credential with these fields changed. */
	async testCredential(
		changes: ICredentialDataDecryptedObject = {},
	): Promise<INodeCredentialTestResult> {
		const data = { ...this.stored, ...changes };
		return await this.credentialTest.call(new CredentialTestContext(), {
			id: 'credential',
			name: '',
			type: '',
			data,
		});
	}

	/** Tokens issued to the credential's client so far. */
	get tokens(): number {
		return this.sandbox.counts.tokens[this.clientId] ?? 0;
	}

	/** Sets the clocks of the node and of the service; both stand still there. */
	setClock(time: number): void {
		this.sandbox.clock.standStill();
		jest.useFakeTimers({ now: time, doNotFake: [...EVERYTHING_BUT_DATE] });
		passProcessTime(time - this.sandbox.now());
		this.sandbox.advance(time - this.sandbox.now());
	}
}

/** Waits between tries become short, at the low end of their jitter; Retry-After stays as it is. */
export function shortenBackoff(): void {
	jest.spyOn(Math, 'random').mockReturnValue(0.001);
}

/** Of what fake timers would replace: HTTP needs the rest. */
export const EVERYTHING_BUT_DATE = [
	'hrtime',
	'nextTick',
	'performance',
	'queueMicrotask',
	'setImmediate',
	'clearImmediate',
	'setInterval',
	'clearInterval',
	'setTimeout',
	'clearTimeout',
] as const satisfies string[];
