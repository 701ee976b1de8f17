import { jest } from '@jest/globals';

import { useInAll } from '../../standIn';
import { HOSTS, type Host, type N8nOptions } from '..';
import { Browser } from '../browser';
import { Stage } from './stage';

// For each test, and for the start of what a file shares: a real n8n on a busy machine. Each wait has a deadline of its own.
jest.setTimeout(360_000);

/** A real n8n and a sandbox, for all tests here. */
export function useStage(options?: N8nOptions): Stage {
	return useInAll(async () => await Stage.start(options));
}

/** A browser for all tests here. */
export function useBrowser(): Browser {
	return useInAll(async () => await Browser.start());
}

interface Stoppable {
	stop(): Promise<void>;
}

/**
 * One of each where n8n keeps progress in either way, side by side.
 *
 * @returns does something on each of them, and says where it failed
 */
export function useOnEachHost<T extends Stoppable>(
	start: (env: Record<string, string>) => Promise<T>,
) {
	const hosts = Object.keys(HOSTS) as Host[];
	const started = useInAll(async () => {
		const all = await Promise.all(hosts.map(async (host) => await start(HOSTS[host])));
		return { all, stop: async () => void (await Promise.all(all.map((each) => each.stop()))) };
	});
	return async (act: (each: T) => Promise<void>): Promise<void> => {
		await Promise.all(
			started.all.map(async (each, index) => {
				await act(each).catch((error: Error) => {
					error.message = `${hosts[index]}: ${error.message}`;
					throw error;
				});
			}),
		);
	};
}
