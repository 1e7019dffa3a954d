import type { ApiParts } from '../../frame/frame-module.ts';
import { createSchedulerStatus } from './postgres/scheduler-status.ts';

/** Reads the state of schedulers, their partitions and their lag. */
export function schedulerModule({ pool }: Pick<ApiParts, 'pool'>) {
  return { schedulerStatus: createSchedulerStatus({ pool }) };
}
