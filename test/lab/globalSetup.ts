import { bundleLibrary, LIBRARIES } from '../../vendor/bundle';

/** Where jest.config.js has the tests look for the bundles. */
const FOLDER = '.tmp/jest';

export default async function globalSetup(): Promise<void> {
	for (const name of LIBRARIES.keys()) await bundleLibrary(name, `${FOLDER}/${name}.js`);
}
