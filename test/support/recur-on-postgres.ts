import type { Pool } from 'pg';
import { createDueSchedules } from '../../services/scheduler/postgres/due-schedules.ts';

/** Plans jobs of all schedules that are due, as a scheduler does it. */
export function recurOnPostgres(pool: Pool) {
  return createDueSchedules({ pool }).recur({ region: 'local', owner: 'a' }, 100);
}
