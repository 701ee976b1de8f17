import { isObject } from '../../service/basics/values';
import { HttpReceiver } from '../../test/lab/n8n/httpReceiver';
import { createRandom, seedOf } from '../../test/lab/sandbox/random';
import type { HandOver } from './flows';

/** Of the leads, if a lead that fails is run again. */
const REFUSED_AT_FIRST = 0.15;

/** Where the workflows send their leads: it refuses the first try of some, if they are tried again. */
export async function startTarget(seed: number, { runAgain }: HandOver): Promise<HttpReceiver> {
	const target = await HttpReceiver.start();
	if (runAgain === 0) return target;
	const tried = new Set<string>();
	target.answer = ({ body }) => {
		const flowsLead = `${String(body.workflow)} ${leadOf(body)}`;
		const isFirst = !tried.has(flowsLead);
		tried.add(flowsLead);
		const isRefused = createRandom(seedOf(`${seed} ${flowsLead}`))() < REFUSED_AT_FIRST;
		return isFirst && isRefused ? 503 : 200;
	};
	return target;
}

function leadOf({ lead }: Record<string, unknown>): string {
	return JSON.stringify(isObject(lead) ? lead.id : lead);
}
