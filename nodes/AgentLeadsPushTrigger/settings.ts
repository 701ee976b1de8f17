import type { IDataObject, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import { objectOf } from '../../service/basics/values';
import type { LeadType } from '../../service/leads/leads';
import { FieldError } from '../common/fieldError';
import { readLeadTypes } from '../common/leads/readers';
import { toOperationError } from '../common/nodeErrors';
import { nodeKey } from '../common/runs/emitter';
import type { PushAuth } from './auth';
import { WRAPPER_OPTIONS } from './fields';

/** The node's parameters, after they were checked. */
export interface Settings {
	leadTypes: LeadType[];
	/** The name of the field in the pushed body that contains the lead, for each type of lead. */
	names: Record<LeadType, string>;
	simplify: boolean;
}

type Context = ITriggerFunctions | IWebhookFunctions;

/** @throws FieldError */
export function readPushSettings(context: Context): Settings {
	const parameter = (name: string): unknown => context.getNodeParameter(name, '');
	const options = objectOf(parameter('options'));
	const applicant = readName('applicant', options);
	const appraisal = readName('appraisal', options);
	if (applicant === appraisal) {
		const advice = 'The name shows which type a lead is: enter two different names.';
		throw new FieldError(WRAPPER_OPTIONS.appraisal, 'is also the name for applicants', advice);
	}
	return {
		leadTypes: readLeadTypes(parameter('leadTypes')),
		names: { applicant, appraisal },
		simplify: parameter('simplify') === true,
	};
}

/**
 * Checks the node's parameters while the workflow is published.
 *
 * @throws NodeOperationError with the advice as part of its message, because n8n shows the message alone while a
 * workflow is published
 */
export function checkPushSettings(context: ITriggerFunctions): void {
	try {
		readPushSettings(context);
	} catch (error) {
		throw error instanceof FieldError
			? toOperationError(context.getNode(), error, { shownAs: 'message' })
			: error;
	}
}

/** Reads from the credential the keys or secrets that authorize a push. If none is set, every push is refused. */
export async function readAuth(context: Context): Promise<PushAuth> {
	const { authentication, clientId, audience, ...secrets } =
		await context.getCredentials('agentLeadsPushApi');
	const filled = (values: unknown[]) =>
		values.filter((each): each is string => typeof each === 'string' && each !== '');
	if (authentication !== 'clientCredentials') {
		return { authentication: 'apiKey', keys: filled([secrets.apiKey, secrets.nextApiKey]) };
	}
	const clients = filled([clientId]).flatMap((id) =>
		filled([secrets.clientSecret, secrets.nextClientSecret]).map((clientSecret) => ({
			clientId: id,
			clientSecret,
		})),
	);
	const [given = ''] = filled([audience]);
	return { authentication, clients, audience: given, name: nodeKey(context) };
}

function readName(leadType: LeadType, options: IDataObject): string {
	const field = WRAPPER_OPTIONS[leadType];
	const value = options[field.name] ?? leadType;
	if (typeof value === 'string' && value.trim() !== '') return value.trim();
	throw new FieldError(field, 'is empty', `Use the default, ${leadType}, or another name.`);
}
