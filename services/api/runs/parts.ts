import type { BaseParts } from '../frame/parts.ts';
import { createRunReports } from './postgres/run-reports.ts';
import { createHeldOutUsers } from './users/postgres/held-out-users.ts';
import { createRunUsers } from './users/postgres/run-users.ts';

export function createRunParts({ pool, heavyPool }: BaseParts) {
  return {
    reports: createRunReports({ pool }),
    /** Stores that read over the connections for exports and reports. */
    heavyRuns: {
      reports: createRunReports({ pool: heavyPool }),
      users: createRunUsers({ pool: heavyPool }),
      heldOut: createHeldOutUsers({ pool: heavyPool }),
    },
  };
}
