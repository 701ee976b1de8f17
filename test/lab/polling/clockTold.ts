import { ServiceClock } from '../../../service/basics/clock';

/** A clock that the service has told its time at a moment (epoch ms), `offMs` ahead of the host's. */
export function clockTold(at: number, offMs = 0): ServiceClock {
	const clock = new ServiceClock();
	clock.read(new Date(at + offMs).toUTCString());
	return clock;
}
