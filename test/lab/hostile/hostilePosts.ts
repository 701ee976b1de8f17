import { createRandom, shuffled } from '../sandbox/random';
import { wrongBodies, wrongFrames } from './bodies';
import { otherAddresses, wrongKeys } from './keys';
import { wrongTokenRequests, wrongTokens } from './tokens';
import type { HostilePost, HostileWorld } from './world';

/** More than 500 requests that must start no run, in an order that follows from the seed. */
export function hostilePosts(world: HostileWorld, seed: number): HostilePost[] {
	const random = createRandom(seed);
	return shuffled(random, [
		...wrongKeys(world, random),
		...otherAddresses(world, random),
		...wrongBodies(world, random),
		...wrongFrames(world),
		...wrongTokens(world, random),
		...wrongTokenRequests(world),
	]);
}
