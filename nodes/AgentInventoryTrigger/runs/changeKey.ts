import { createHash } from 'node:crypto';

import { SECOND_MS } from '../../../service/basics/times';
import { write } from '../target/knownProperties';
import type { ChangeToRun } from './changeHandOver';

const KEY_MARK_LENGTH = 8;

type KeyedChange = Pick<ChangeToRun, 'agency' | 'id' | 'before' | 'after'>;

/**
 * The key of a change’s run: the same in a process that finds the same change after a kill, and another one for the next change to
 * the same values. The property comes last: its ID may have colons and numbers, and must not look like another attempt.
 *
 * @param begunAt when the agency’s first poll was (epoch ms): the changes of its properties are counted from then on
 */
export function changeKeyOf(
	workflowId: string | undefined,
	change: KeyedChange,
	begunAt: number,
	attempt: number,
): string {
	const { agency, id, before, after } = change;
	const states = [before, after].map((state) =>
		state ? write({ ...state, modified: undefined, isFresh: false }) : '',
	);
	const mark = createHash('sha256').update(states.join(' ')).digest('base64url');
	const count = [Math.floor(begunAt / SECOND_MS), after.changes]
		.map((number) => number.toString(36))
		.join('.');
	const which = [count, mark.slice(0, KEY_MARK_LENGTH)].join('.');
	const kind = attempt > 1 ? `${which}#${attempt}` : which;
	return ['agentInventory', workflowId, agency, kind, id].join(':');
}
