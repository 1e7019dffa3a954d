import type { Pool } from 'pg';
import { createDueSchedules } from '../../services/scheduler/postgres/due-schedules.ts';
import type { Quotas } from '../../shared/domain/quotas.ts';
import { usualQuotas } from '../../shared/runtime/configuration/quotas.ts';

const node = { region: 'local', owner: 'a' };

/** Fires all due schedules, as a scheduler does. */
export function recurOnPostgres(pool: Pool, quotas: Quotas = usualQuotas) {
  return createDueSchedules({ pool, quotas }).recur(node, 100);
}

/** Fires buffered occurrences whose predecessor has ended, as a scheduler does. */
export function fireBufferedOnPostgres(pool: Pool, quotas: Quotas) {
  return createDueSchedules({ pool, quotas }).fireBuffered(node, 100);
}
