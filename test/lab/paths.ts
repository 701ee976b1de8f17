import { join } from 'node:path';

import { repository } from '../../package.json';

/** The repository. */
export const root = join(__dirname, '../..');

/** Where the pages are read: the branch `main` of the repository that package.json names. */
export const PAGES_URL = repository.url.replace(/^git\+(.+)\.git$/, '$1/blob/main/');
