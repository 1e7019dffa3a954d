import { it } from 'vitest';

/** For scenarios that take long: `npm run test:faults` runs them, the short set in `npm test` leaves them out (vitest.config.ts). */
export const inFull = it.skipIf(process.env['MUSTER_FAULTS'] === 'in-short');
