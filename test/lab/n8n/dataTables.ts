import type { Rest } from './rest';

export interface DataTable {
	id: string;
	name: string;
	projectId: string;
}

function pathOf({ id, projectId }: DataTable): string {
	return `/rest/projects/${projectId}/data-tables/${id}`;
}

/** n8n's data tables. */
export class DataTables {
	constructor(private readonly rest: Rest) {}

	/** All data tables, in whatever project they lie. */
	async list(): Promise<DataTable[]> {
		return (await this.rest.get<{ data: DataTable[] }>('/rest/data-tables-global')).data;
	}

	/** The data table of this name, in whatever project it lies. */
	async find(name: string): Promise<DataTable> {
		const table = (await this.list()).find((each) => each.name === name);
		if (!table) throw new Error(`There is no data table ${name}`);
		return table;
	}

	/** The first 250 rows of a data table. */
	async rows(table: DataTable): Promise<Array<Record<string, unknown>>> {
		const path = `${pathOf(table)}/rows?take=250`;
		return (await this.rest.get<{ data: Array<Record<string, unknown>> }>(path)).data;
	}

	/** Deletes the rows that have this value in this column. */
	async deleteRows(table: DataTable, columnName: string, value: string): Promise<void> {
		const filters = [{ columnName, condition: 'eq', value }];
		const filter = encodeURIComponent(JSON.stringify({ type: 'and', filters }));
		await this.rest.delete(`${pathOf(table)}/rows?filter=${filter}`);
	}
}
