import type {
	ICredentialDataDecryptedObject,
	ICredentialsExpressionResolveValues,
	ICredentialType,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INode,
	INodeParameters,
	INodeProperties,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { ICredentialsHelper, NodeHelpers } from 'n8n-workflow';

type Values = ICredentialDataDecryptedObject;

/**
 * Stands for n8n's credentials table and the helper in front of it, which live in n8n's server and
 * need its database; the tests in a real n8n use the real ones. It follows their rules: the stored
 * values are read anew for each call, the hook is asked while the expirable property is empty or
 * after a 401, what the hook returns is merged into the stored values, and expressions are those of
 * the item.
 */
export class CredentialsTable extends ICredentialsHelper {
	override readonly getParentTypes = () => [];

	override readonly isCredentialUsableByNode = () => true;

	override readonly runPreAuthentication = notPart;

	override readonly getCredentials = notPart;

	override readonly updateCredentials = notPart;

	override readonly updateCredentialsOauthTokenData = notPart;

	constructor(
		private readonly types: ICredentialType[],
		readonly rows: Record<string, Values>,
	) {
		super();
	}

	override async getDecrypted(
		_additionalData: unknown,
		nodeCredentials: { id: string | null },
		type: string,
		mode: WorkflowExecuteMode,
		_executeData?: unknown,
		_raw?: boolean,
		expressions?: ICredentialsExpressionResolveValues,
	): Promise<Values> {
		const row = this.row(nodeCredentials) as INodeParameters;
		const { properties } = this.type(type);
		const values = {
			...NodeHelpers.getNodeParameters(properties, row, true, false, null, null),
		};
		if (!expressions) return await Promise.resolve(values as Values);
		const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } =
			expressions;
		const item = [runExecutionData, runIndex, itemIndex, node.name, connectionInputData] as const;
		return workflow.expression.getParameterValue(values, ...item, mode, {}) as Values;
	}

	override async preAuthentication(
		helpers: IHttpRequestHelper,
		credentials: Values,
		typeName: string,
		node: INode,
		credentialsExpired: boolean,
	): Promise<Values | undefined> {
		const type = this.type(typeName);
		const expirable = type.properties.find(({ typeOptions }) => typeOptions?.expirable);
		if (!type.preAuthentication || !expirable) return undefined;
		if (credentials[expirable.name] !== '' && !credentialsExpired) return undefined;
		const output = await type.preAuthentication.call(helpers, credentials);
		const details = node.credentials?.[typeName];
		if (output[expirable.name] === undefined || !details) return undefined;
		Object.assign(this.row(details), output);
		return Object.assign(credentials, output);
	}

	override async authenticate(
		credentials: Values,
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

	private type(name: string): ICredentialType {
		const type = this.types.find((candidate) => candidate.name === name);
		if (!type) throw new Error(`No credential type ${name}`);
		return type;
	}

	private row({ id }: { id?: string | null }): Values {
		const row = this.rows[id ?? ''];
		if (!row) throw new Error(`No credential with the id ${id}`);
		return row;
	}
}

async function notPart(): Promise<never> {
	return await Promise.reject(new Error('Not part of this stand-in'));
}
