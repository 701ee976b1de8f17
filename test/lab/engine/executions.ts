import type { TriggerContext } from 'n8n-core';
import type { IDataObject, INodeExecutionData, IRun } from 'n8n-workflow';

type Emit = TriggerContext['emit'];

/** What became of a run, as n8n says it; a person who stops it makes n8n reject. */
export type RunResult = 'success' | 'error' | 'crashed' | 'stopped';

/** A run that was stored. */
export interface StoredRun {
	json: IDataObject;
	key?: string;
	/** Unset while it is under way. */
	result?: RunResult;
	done?: Parameters<Emit>[2];
	/** Settled by what the run says while it goes on. */
	response?: Parameters<Emit>[1];
}

/** Stands for n8n's table of executions, in which no two rows have the same key. */
export class ExecutionsTable {
	readonly rows: StoredRun[] = [];

	/** How many runs were refused, since their key is known. */
	refused = 0;

	/** What each run comes to at once; undefined leaves it under way. */
	resultOf: (run: StoredRun) => RunResult | undefined = () => 'success';

	/** Whether n8n can store nothing. */
	isLocked = false;

	/** Whether n8n lists each run as failed before it begins, as it does if a node lacks its credential. */
	isBarred = false;

	/** What happens once a run is stored and has begun. */
	begin: (item: INodeExecutionData, run: StoredRun) => void = () => {};

	/** @param save stores the static data, as n8n does whenever a run is to be started */
	emitOn(save: () => void): Emit {
		return (data, response, done, key) => {
			save();
			const [item] = data.flat();
			const run = { json: item?.json ?? {}, response, done, ...(key && { key }) };
			setImmediate(() => this.insert(run, item));
		};
	}

	/** The fields of all runs, by their order. */
	get started(): IDataObject[] {
		return this.rows.map(({ json }) => json);
	}

	/** Waits until the runs that were started are as wanted. */
	async until(isSo: (started: IDataObject[]) => boolean): Promise<void> {
		while (!isSo(this.started)) await new Promise((resolve) => setImmediate(resolve));
	}

	end(run: StoredRun, result: RunResult): void {
		run.result = result;
		if (result === 'stopped') {
			run.done?.reject(Object.assign(new Error('Cancelled'), { reason: 'manual' }));
		} else {
			run.done?.resolve({ status: result } as IRun);
		}
	}

	/** @param item without one nothing follows the trigger: such a run ends at once */
	private insert(run: StoredRun, item?: INodeExecutionData): void {
		if (this.isLocked) return run.done?.reject(new Error('The database is locked'));
		if (run.key !== undefined && this.rows.some(({ key }) => key === run.key)) {
			this.refused++;
			return run.done?.resolve(undefined as unknown as IRun);
		}
		if (!item) return this.end(run, 'success');
		if (this.isBarred) return this.bar(run);
		this.rows.push(run);
		this.begin(item, run);
		const result = this.resultOf(run);
		if (result) this.end(run, result);
	}
	/** It keeps the key of such a run, and nothing of what the run was to begin with. */
	private bar({ key, done }: StoredRun): void {
		this.rows.push({ json: {}, ...(key && { key }), result: 'error' });
		done?.reject(new Error('No active execution found'));
	}
}
