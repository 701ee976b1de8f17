import { PACKAGE_NAME } from '../n8n';
import { NOT_OURS, OURS, type Subject } from './queries';
import { SEARCHES, type Host, type NodeSearch, type Result } from './searches';

/** What is seen at a glance, and read first by a model. */
const FIRST = 3;

/** Where one search lists our nodes for one query. */
export interface Rank {
	query: string;
	/** From 1: of the first node that is meant, or of the first of ours if none is; undefined if none is looked at. */
	rank: number | undefined;
	/** Whether one that is meant is among the first three, or none of ours is looked at if none is meant. */
	isGood: boolean;
}

/** All ranks of one search, subject by subject. */
export interface Findings {
	search: NodeSearch;
	subjects: Array<{ subject: Subject; ranks: Rank[] }>;
}

/** Asks each of n8n's searches for everything. */
export async function findAll(host: Host): Promise<Findings[]> {
	const findings: Findings[] = [];
	for (const search of SEARCHES) findings.push(await findingsOf(host, search));
	return findings;
}

export async function findingsOf(host: Host, search: NodeSearch): Promise<Findings> {
	const subjects = [...OURS, NOT_OURS];
	const queries = subjects.flatMap((subject) => subject.queries);
	const found = await search.find(host, queries);
	const results = new Map(queries.map((query, index) => [query, found[index] ?? []]));
	return {
		search,
		subjects: subjects.map((subject) => ({
			subject,
			ranks: subject.queries.map((query) =>
				rankOf(query, subject, (results.get(query) ?? []).slice(0, search.depth)),
			),
		})),
	};
}

function rankOf(query: string, { nodes }: Subject, results: Result[]): Rank {
	const isMeant = (type: string) =>
		nodes.length === 0
			? type.startsWith(`${PACKAGE_NAME}.`)
			: nodes.some((node) => type === `${PACKAGE_NAME}.${node}`);
	const index = results.findIndex((types) => types.some(isMeant));
	const rank = index < 0 ? undefined : index + 1;
	const isGood = nodes.length === 0 ? rank === undefined : rank !== undefined && rank <= FIRST;
	return { query, rank, isGood };
}
