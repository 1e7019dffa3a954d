import type { NewDueInput } from '../../sdk/generated/types.gen.ts';
import { text } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';

/** When a job is to be called. */
export const due = {
  at: text('--at <time>', 'RFC 3339, such as 2026-12-01T09:00:00+08:00'),
  in: text('--in <seconds>', 'so long from now'),
};

export function dueOf({ at, in: seconds }: { at?: string | undefined; in?: string | undefined }): NewDueInput {
  if (seconds !== undefined && !/^\d+(\.\d+)?$/.test(seconds))
    throw new UsageError(`--in ${seconds}: has to be seconds`);
  return { ...(at !== undefined && { dueAt: at }), ...(seconds !== undefined && { delaySeconds: Number(seconds) }) };
}
