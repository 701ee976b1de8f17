import type { TriggerContext } from 'n8n-core';
import type { IDataObject, INodeExecutionData, IRun } from 'n8n-workflow';

type Emit = TriggerContext['emit'];

/** What became of a run, as n8n says it; a person who stops it makes n8n reject. */
export type RunResult = 'success' | 'error' | 'crashed' | 'stopped';

/** A run that was stored. */
export interface StoredRun {
	json: IDataObject;
	key?: string;
	/** The process that asked for it. */
	process?: string;
	/** Unset while it is under way. */
	result?: RunResult;
	endedAt?: number;
	/** Whether its process has stored its progress since the run ended. */
	isEndStored?: boolean;
	/** Whether n8n said that it may not be stored. */
	isUntold?: boolean;
	done?: Parameters<Emit>[2];
	/** Settled by what the run says while it goes on. */
	response?: Parameters<Emit>[1];
}

/** A process that asks for runs. */
interface EmittingProcess {
	processId?: string;
	isAlive?: () => boolean;
	/** Stores the static data, as n8n does whenever a run is to be started. */
	store?: () => void;
}

/** Stands for n8n's table of executions, in which no two rows have the same key. */
export class ExecutionsTable {
	readonly rows: StoredRun[] = [];

	/** The runs without items. */
	readonly empty: StoredRun[] = [];

	/** How many runs were refused, since their key is known. */
	refused = 0;

	/** What each run comes to at once; undefined leaves it under way. */
	resultOf: (run: StoredRun) => RunResult | undefined = () => 'success';

	/** Whether n8n can store nothing. */
	isLocked = false;

	/** Whether n8n stores a run and says that it did not. */
	isUntold = false;

	/** Whether n8n lists each run as failed before it begins, as it does if a node lacks its credential. */
	isBarred = false;

	/** If set, nothing more is stored before the process is killed: what runs were to begin with is put here. */
	lost?: IDataObject[];

	/** Epoch milliseconds. */
	now = () => Date.now();

	/** What happens once a run is stored and has begun. */
	begin: (item: INodeExecutionData, run: StoredRun) => void = () => {};

	emitOn({ processId, isAlive = () => true, store }: EmittingProcess): Emit {
		return (data, response, done, key) => {
			if (!isAlive()) return;
			store?.();
			const [item] = data.flat();
			const run = {
				json: item?.json ?? {},
				process: processId,
				response,
				done,
				...(key && { key }),
			};
			setImmediate(() => {
				if (isAlive()) this.insert(run, item);
			});
		};
	}

	/** The fields of all runs, by their order. */
	get started(): IDataObject[] {
		return this.rows.map(({ json }) => json);
	}

	/** Those that are under way. */
	get open(): StoredRun[] {
		return this.rows.filter(({ result }) => !result);
	}

	end(run: StoredRun, result: RunResult): void {
		Object.assign(run, { result, endedAt: this.now() });
		if (run.isUntold) return;
		const cancelled = Object.assign(new Error('Cancelled'), { reason: 'manual' });
		if (result === 'stopped') run.done?.reject(cancelled);
		else run.done?.resolve({ status: result } as IRun);
	}

	/** A process has stored its progress. */
	noteStored(process: string): void {
		for (const run of this.rows) {
			run.isEndStored ||= run.process === process && (run.endedAt ?? Infinity) < this.now();
		}
	}

	/** @param item without one nothing follows the trigger: such a run ends at once, and has used up its key */
	private insert(run: StoredRun, item?: INodeExecutionData): void {
		if (this.lost && item) return void this.lost.push(run.json);
		if (this.isLocked) return run.done?.reject(new Error('The database is locked'));
		const stored = [...this.rows, ...this.empty];
		if (run.key !== undefined && stored.some(({ key }) => key === run.key)) {
			this.refused++;
			return run.done?.resolve(undefined as unknown as IRun);
		}
		if (!item) this.empty.push(run);
		if (!item) return this.end(run, 'success');
		if (this.isBarred) return this.bar(run);
		if (this.isUntold) run.isUntold = true;
		if (this.isUntold) run.done?.reject(new Error('The execution is not found'));
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
