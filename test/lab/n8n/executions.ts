import { Execution, isFinished, type ExecutionSummary } from './execution';
import type { Rest } from './rest';
import { until } from './waiting';
import type { StoredWorkflow } from './workflow';

const EXECUTION_DEADLINE_MS = 60_000;

/** The executions that n8n has stored. */
export class Executions {
	/** Executions that were looked into, by the id of the call that caused them. */
	private readonly idOfCall = new Map<string, string>();
	private readonly lookedInto = new Set<string>();
	private readonly finished = new Map<string, Execution>();
	/** One search at a time: each finds some of what the next one looks for. */
	private searching: Promise<unknown> = Promise.resolve();

	constructor(private readonly rest: Rest) {}

	/** The executions of a workflow, newest first, without their data; 100 at most. */
	async list({ id }: Pick<StoredWorkflow, 'id'>): Promise<ExecutionSummary[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
		const { results } = await this.rest.get<{ results: ExecutionSummary[] }>(
			`/rest/executions?limit=100&filter=${filter}`,
		);
		return results;
	}

	/** All executions of a workflow with their data, oldest first; those that have not finished, as far as they are. */
	async listWithData(workflow: Pick<StoredWorkflow, 'id'>): Promise<Execution[]> {
		const all: Execution[] = [];
		for (const summary of await this.listAll(workflow)) {
			const known = this.finished.get(summary.id);
			const execution = known ?? (await this.get(summary.id));
			if (isFinished(execution.summary)) this.finished.set(summary.id, execution);
			all.push(execution);
		}
		return all;
	}

	/** All executions of a workflow, oldest first, without their data. */
	private async listAll({ id }: Pick<StoredWorkflow, 'id'>): Promise<ExecutionSummary[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
		const all: ExecutionSummary[] = [];
		let position: string | null = this.pagesByCursor ? '' : FROM_NEWEST_ID;
		while (position !== null) {
			const page: ExecutionPage = await this.rest.get(
				`/rest/executions?limit=100&filter=${filter}${position}`,
			);
			all.push(...page.results);
			position = nextPosition(page);
		}
		return all.sort((a, b) => Number(a.id) - Number(b.id));
	}

	/** From 2.41 on, a page of executions says where the next one begins; before, an id does. */
	private get pagesByCursor(): boolean {
		const [major = 0, minor = 0] = this.rest.n8n.versionCli.split('.').map(Number);
		return major > 2 || (major === 2 && minor >= 41);
	}

	/** An execution with its data, as far as it is stored. */
	async get(id: string): Promise<Execution> {
		const { data, ...summary } = await this.rest.get<ExecutionSummary & { data: string }>(
			`/rest/executions/${id}`,
		);
		return new Execution(summary, data);
	}

	async waitFor(
		workflow: Pick<StoredWorkflow, 'id'>,
		id: string,
		deadlineMs = EXECUTION_DEADLINE_MS,
	): Promise<Execution> {
		return await until(`execution ${id} to finish`, deadlineMs, async () => {
			const summary = (await this.list(workflow)).find((each) => each.id === id);
			return summary && isFinished(summary) ? await this.get(id) : undefined;
		});
	}

	/**
	 * Repeats an execution from where it ended, as “Retry” in the list of executions does.
	 * @param loadWorkflow with the currently saved workflow instead of the original one
	 * @returns the id of the new execution
	 */
	async retry(id: string, loadWorkflow: boolean): Promise<string> {
		const { id: retry } = await this.rest.post<{ id: string }>(`/rest/executions/${id}/retry`, {
			loadWorkflow,
		});
		return retry;
	}

	async stop(id: string): Promise<void> {
		await this.rest.post(`/rest/executions/${id}/stop`);
	}

	/**
	 * Finds the execution that a call of a webhook caused, once it is stored.
	 * @param trigger the name of the Webhook node
	 * @param call what its query says as `call`
	 */
	async causedBy(
		workflow: Pick<StoredWorkflow, 'id'>,
		trigger: string,
		call: string,
	): Promise<Execution> {
		const search = this.searching.then(async () => await this.search(workflow, trigger, call));
		this.searching = search.catch(() => undefined);
		return await search;
	}

	private async search(
		workflow: Pick<StoredWorkflow, 'id'>,
		trigger: string,
		call: string,
	): Promise<Execution> {
		return await until('the execution to be stored', EXECUTION_DEADLINE_MS, async () => {
			const known = this.idOfCall.get(call);
			if (known !== undefined) return await this.get(known);
			for (const summary of await this.list(workflow)) {
				if (!isFinished(summary) || this.lookedInto.has(summary.id)) continue;
				const execution = await this.get(summary.id);
				this.lookedInto.add(summary.id);
				const found = callOf(execution, trigger);
				if (found !== undefined) this.idOfCall.set(found, summary.id);
				if (found === call) return execution;
			}
			return undefined;
		});
	}
}

/** n8n goes by the id only if it is given both ends. PostgreSQL keeps it in 32 bits. */
const FROM_NEWEST_ID = `&firstId=0&lastId=${2 ** 31 - 1}`;

interface ExecutionPage {
	results: ExecutionSummary[];
	/** Absent where n8n pages by ids. */
	nextCursor?: string | null;
}

/** Where the next page begins, as parameters of the request for it; null when there is none. */
function nextPosition({ results, nextCursor }: ExecutionPage): string | null {
	if (nextCursor !== undefined)
		return nextCursor === null ? null : `&cursor=${encodeURIComponent(nextCursor)}`;
	const oldest = results.at(-1);
	return oldest ? `&firstId=0&lastId=${oldest.id}` : null;
}

function callOf(execution: Execution, trigger: string): string | undefined {
	const query = execution.json(trigger)[0]?.query;
	return (query as { call?: string } | undefined)?.call;
}
