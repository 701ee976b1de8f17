import { MINUTE_MS } from '../../../service/basics/times';
import type { Occasion } from './occasion';

/** A wrong clock loses nothing here, and may do harm elsewhere. */
export function tellOfClock({ context, memory }: Occasion): void {
	const { wrongByMs } = memory.clock;
	if (wrongByMs === undefined || !memory.isToTell('clock')) return;
	context.logger.warn(clockNotice(wrongByMs));
}

/** @param aheadMs how far the host's clock is ahead of the service's, in milliseconds */
function clockNotice(aheadMs: number): string {
	const minutes = Math.round(Math.abs(aheadMs) / MINUTE_MS);
	const side = aheadMs > 0 ? 'ahead of' : 'behind';
	return `The clock of the machine that n8n runs on is ${minutes} minutes ${side} the service’s. Check it: one of the two is wrong.`;
}
