import { MINUTE_MS } from '../../../service/basics/times';

/** n8n may return from publishing a while before it polls first; what comes meanwhile counts. */
export const PUBLISHED_WITHIN_MS = MINUTE_MS;

/** How far the host’s clock may be off while the service has not told its time. */
export const CLOCK_DOUBT_MS = 10 * MINUTE_MS;
