import { createHash } from 'node:crypto';

import { SECOND_MS } from '../../service/basics/times';
import { write } from './progress/knownProperties';
import type { ChangeToRun } from './changeTracker';

const KEY_MARK_LENGTH = 8;

/** A longer ID would make the key longer than n8n’s database takes. */
const LONGEST_ID = 150;

type KeyedChange = Pick<ChangeToRun, 'agency' | 'id' | 'before' | 'after' | 'promised'>;

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
	const { agency, id, before, after, promised = after } = change;
	const states = [before, promised].map((state) =>
		state ? write({ ...state, modified: undefined, isFresh: false }) : '',
	);
	const mark = hashed(states.join(' '));
	const count = [Math.floor(begunAt / SECOND_MS), after.changes]
		.map((number) => number.toString(36))
		.join('.');
	const which = [count, mark.slice(0, KEY_MARK_LENGTH)].join('.');
	const kind = attempt > 1 ? `${which}#${attempt}` : which;
	const property = id.length > LONGEST_ID ? hashed(id) : id;
	return ['agentInventory', workflowId, agency, kind, property].join(':');
}

function hashed(text: string): string {
	return createHash('sha256').update(text).digest('base64url');
}
