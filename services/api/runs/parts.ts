import type { BaseParts } from '../frame/parts.ts';
import { createRunReports } from './postgres/run-reports.ts';

export function createRunParts({ pool, heavyPool }: BaseParts) {
  return {
    reports: createRunReports({ pool }),
    /** Store that reads over the connections for exports and reports. */
    heavyRuns: { reports: createRunReports({ pool: heavyPool }) },
  };
}
