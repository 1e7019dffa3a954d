import type { BaseParts } from '../frame/parts.ts';
import { createScheduleStore } from './postgres/schedule-store.ts';

export function createScheduleParts({ pool, config, quotas }: BaseParts) {
  return { schedules: createScheduleStore({ pool, region: config.region, owner: 'api', quotas }) };
}
