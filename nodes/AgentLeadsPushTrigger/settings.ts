import type {
	ICredentialDataDecryptedObject,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { isObject } from '../../service/basics/values';
import type { LeadType } from '../../service/leads/leads';
import { FieldError } from '../common/fieldError';
import { readLeadTypes } from '../common/leads/readers';
import { toOperationError } from '../common/nodeErrors';
import { nodeKey } from '../common/runs/emitter';
import type { Door } from './door';
import { WRAPPER_OPTIONS } from './fields';
import type { WrapperNames } from './pushedLead';

/** What the node's parameters ask for, checked. */
export interface Settings {
	leadTypes: LeadType[];
	names: WrapperNames;
	simplify: boolean;
}

type Context = ITriggerFunctions | IWebhookFunctions;

/** @throws FieldError */
export function readPushSettings(context: Context): Settings {
	const parameter = (name: string): unknown => context.getNodeParameter(name, '');
	const given = parameter('options');
	const options = isObject(given) ? given : {};
	const names = {
		applicant: readName('applicant', options),
		appraisal: readName('appraisal', options),
	};
	if (names.applicant === names.appraisal) {
		throw new FieldError(
			'Options',
			'gives both kinds of leads the same name',
			'The name in the body tells which kind a lead is: enter two different names.',
		);
	}
	return {
		leadTypes: readLeadTypes(parameter('leadTypes')),
		names,
		simplify: parameter('simplify') === true,
	};
}

/** @throws NodeOperationError: while a workflow is published, n8n shows its message alone */
export function checkPushSettings(context: ITriggerFunctions): void {
	try {
		readPushSettings(context);
	} catch (error) {
		throw error instanceof FieldError
			? toOperationError(context.getNode(), error, { shownAs: 'message' })
			: error;
	}
}

/** Who may push. Nobody, as long as no key or secret is set. */
export async function readDoor(context: Context): Promise<Door> {
	const credentials = await context.getCredentials('agentLeadsPushApi');
	const text = (name: string) => credentialText(credentials, name);
	if (credentials.authentication !== 'clientCredentials') {
		return { authentication: 'apiKey', keys: [text('apiKey'), text('nextApiKey')] };
	}
	const clientId = text('clientId');
	const secrets = [text('clientSecret'), text('nextClientSecret')].filter((each) => each !== '');
	return {
		authentication: 'clientCredentials',
		clients: clientId === '' ? [] : secrets.map((clientSecret) => ({ clientId, clientSecret })),
		audience: text('audience'),
		name: nodeKey(context),
	};
}

function readName(leadType: LeadType, options: Record<string, unknown>): string {
	const field = WRAPPER_OPTIONS[leadType];
	const value = options[field.name] ?? leadType;
	if (typeof value === 'string' && value.trim() !== '') return value.trim();
	throw new FieldError(field, 'is empty', `Use the default, ${leadType}, or another name.`);
}

function credentialText(credentials: ICredentialDataDecryptedObject, name: string): string {
	const value = credentials[name];
	return typeof value === 'string' ? value : '';
}
