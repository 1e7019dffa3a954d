import type { ApiParts } from '../../frame/frame-module.ts';
import { createQuietHoursStore } from './postgres/quiet-hours-store.ts';

/** When users are not called. */
export function quietHoursModule({ pool }: Pick<ApiParts, 'pool'>) {
  return { quietHours: createQuietHoursStore({ pool }) };
}
