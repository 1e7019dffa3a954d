import type { BaseParts } from '../frame/parts.ts';
import { createScheduleStore } from './postgres/schedule-store.ts';

/** The store of schedules, which can also be found by their ids. */
export function createScheduleParts({ pool, config, quotas }: BaseParts) {
  return { schedules: createScheduleStore({ pool, region: config.region, owner: 'api', quotas }) };
}
