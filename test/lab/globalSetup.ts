import { bundleOpenpgp } from '../../vendor/bundle';

/** Where jest.config.js has the tests look for the bundle. */
const BUNDLE = '.tmp/jest/openpgp.js';

export default async function globalSetup(): Promise<void> {
	await bundleOpenpgp(BUNDLE);
}
