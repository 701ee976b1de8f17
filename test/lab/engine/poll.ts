import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { AgentLeadsTrigger } from '../../../nodes/AgentLeadsTrigger/AgentLeadsTrigger.node';
import type { LeadsBench } from './leads';
import type { HostOptions } from './triggerHost';
import { TriggerHost } from './triggerHost';

export type { HostOptions };

const USUAL: INodeParameters = {
	leadTypes: ['applicant', 'appraisal'],
	filterBy: 'none',
	startFrom: 'activation',
	runs: 'onePerPoll',
	simplify: true,
};

/** Agent Leads Trigger in a workflow. */
export class PollHost extends TriggerHost {
	constructor(bench: LeadsBench, parameters: INodeParameters = {}, options: HostOptions = {}) {
		super(bench, new AgentLeadsTrigger(), { ...USUAL, ...parameters }, options);
	}

	scope(key: string): IDataObject {
		return (this.state.targets as Record<string, IDataObject>)[key] ?? {};
	}
}
