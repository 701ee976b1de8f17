import type { Host } from '../../test/lab/n8n';
import type { Ledger } from './ledger';

/** What a run on one kind of host has shown. */
export interface Figures {
	host: Host;
	flows: FlowFigures[];
	submitted: number;
	/** Leads that were there before the activation. */
	earlier: number;
	dataRequests: number;
	tokenRequests: number;
	kills: number;
	reactivations: number;
	/** How often n8n refused to start a run that it knew. */
	refusedRuns: number;
	faultsFired: Record<string, number>;
}

export interface FlowFigures {
	title: string;
	ledger: Ledger;
	polls: number;
	/** Polls after the last fault and the last lead. */
	quietPolls: number;
	/** Kills right after polls had handed leads to n8n. */
	killsAtHandOver: Array<{ killedAt: string; msAfter: number[] }>;
}
