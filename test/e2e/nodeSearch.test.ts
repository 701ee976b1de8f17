import { describe, expect, it, jest } from '@jest/globals';

import { N8n } from '../lab/n8n';
import { useBrowser } from '../lab/n8n/stage/useStage';
import { columnOf, recordedColumn } from '../lab/nodeSearch/page';
import { NOT_OURS, OURS } from '../lab/nodeSearch/queries';
import { findingsOf } from '../lab/nodeSearch/ranks';
import { SEARCHES } from '../lab/nodeSearch/searches';
import { useInAll } from '../lab/standIn';

jest.setTimeout(120_000);

describe("n8n's own search", () => {
	const n8n = useInAll(async () => await N8n.start(), { start: 240_000, stop: 60_000 });
	const browser = useBrowser();

	it('is asked everything once, and more than 60 things', () => {
		const queries = [...OURS, NOT_OURS].flatMap((subject) => subject.queries);

		expect(queries.length).toBeGreaterThan(60);
		expect(new Set(queries).size).toBe(queries.length);
	});

	/** After a change that is meant, npm run node-search records the new ranks. */
	it.each(SEARCHES)(
		'$title: our nodes rank as test/lab/nodeSearch/README.md says',
		async (search) => {
			const found = await findingsOf({ n8n, browser }, search);

			expect(columnOf(found)).toEqual(recordedColumn(search.title));
		},
	);
});
