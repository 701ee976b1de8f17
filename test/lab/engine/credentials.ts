import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	ICredentialsExpressionResolveValues,
	ICredentialType,
	IExecuteData,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INode,
	INodeParameters,
	INodeProperties,
	NodeParameterValueType,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { ICredentialsHelper, NodeHelpers } from 'n8n-workflow';

/**
 * Stands for n8n's credentials table and the helper in front of it, which live in n8n's server and
 * need its database; the tests in a real n8n use the real ones. It follows their rules: the stored
 * values are read anew for each call, the hook is asked while the expirable property is empty or
 * after a 401, what the hook returns is merged into the stored values, and expressions are those of
 * the item.
 */
export class CredentialsTable extends ICredentialsHelper {
	/** How often a token was stored. */
	updates = 0;

	constructor(
		private readonly types: ICredentialType[],
		readonly rows: Record<string, ICredentialDataDecryptedObject>,
	) {
		super();
	}

	override getParentTypes(): string[] {
		return [];
	}

	override isCredentialUsableByNode(): boolean {
		return true;
	}

	override async getDecrypted(
		_additionalData: unknown,
		nodeCredentials: { id: string | null },
		type: string,
		mode: WorkflowExecuteMode,
		_executeData?: IExecuteData,
		_raw?: boolean,
		expressions?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		const values = NodeHelpers.getNodeParameters(
			this.type(type).properties,
			this.row(nodeCredentials) as INodeParameters,
			true,
			false,
			null,
			null,
		);
		const resolved = expressions ? resolvedFor(expressions, mode, { ...values }) : { ...values };
		return await Promise.resolve(resolved as ICredentialDataDecryptedObject);
	}

	override async preAuthentication(
		helpers: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		node: INode,
		credentialsExpired: boolean,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		const type = this.type(typeName);
		const expirable = type.properties.find(({ typeOptions }) => typeOptions?.expirable);
		if (!type.preAuthentication || !expirable) return undefined;
		if (credentials[expirable.name] !== '' && !credentialsExpired) return undefined;
		const output = await type.preAuthentication.call(helpers, credentials);
		const details = node.credentials?.[typeName];
		if (output[expirable.name] === undefined || !details) return undefined;
		Object.assign(this.row(details), output);
		this.updates++;
		return Object.assign(credentials, output);
	}

	override async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.type(typeName);
		if (typeof authenticate !== 'function') throw new Error('Only functions are supported here');
		return await authenticate(credentials, options);
	}

	override getCredentialsProperties(type: string): INodeProperties[] {
		return this.type(type).properties;
	}

	override async runPreAuthentication(): Promise<undefined> {
		return await this.unused();
	}

	override async getCredentials(): Promise<ICredentials> {
		return await this.unused();
	}

	override async updateCredentials(): Promise<void> {
		return await this.unused();
	}

	override async updateCredentialsOauthTokenData(): Promise<void> {
		return await this.unused();
	}

	private async unused(): Promise<never> {
		return await Promise.reject(new Error('Not part of this stand-in'));
	}

	private type(name: string): ICredentialType {
		const type = this.types.find((candidate) => candidate.name === name);
		if (!type) throw new Error(`No credential type ${name}`);
		return type;
	}

	private row({ id }: { id?: string | null }): ICredentialDataDecryptedObject {
		const row = this.rows[id ?? ''];
		if (!row) throw new Error(`No credential with the id ${id}`);
		return row;
	}
}

function resolvedFor(
	{
		workflow,
		runExecutionData,
		runIndex,
		itemIndex,
		node,
		connectionInputData,
	}: ICredentialsExpressionResolveValues,
	mode: WorkflowExecuteMode,
	values: INodeParameters,
): NodeParameterValueType {
	return workflow.expression.getParameterValue(
		values,
		runExecutionData,
		runIndex,
		itemIndex,
		node.name,
		connectionInputData,
		mode,
		{},
	);
}
