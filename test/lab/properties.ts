import fc from 'fast-check';

import { seedOf } from './seeds';

// Every property that names no seed of its own.
fc.configureGlobal({ seed: seedOf('PROPERTY') });

export default fc;
