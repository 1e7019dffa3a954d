import type { ApiParts } from '../../frame/frame-module.ts';
import { createSchedulerStatus } from './postgres/scheduler-status.ts';

/** Who fires what is due, and how late it is. */
export function schedulerModule({ pool }: Pick<ApiParts, 'pool'>) {
  return { schedulerStatus: createSchedulerStatus({ pool }) };
}
