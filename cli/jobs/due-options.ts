import type { NewDueInput } from '../../sdk/generated/types.gen.ts';
import { text } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';

export const due = {
  at: text('--at <time>', 'RFC 3339, such as 2026-12-01T09:00:00+08:00'),
  in: text('--in <seconds>', 'seconds from now'),
  localTime: text('--local <time>', 'local time in --zone, such as 2026-12-01T09:00:00'),
  zone: text('--zone <zone>', 'IANA time zone of --local, such as Asia/Singapore'),
};

type GivenDue = { [Option in keyof typeof due]?: string | undefined };

export function dueOf({ at, in: seconds, localTime, zone }: GivenDue): NewDueInput {
  if (seconds !== undefined && !/^\d+(\.\d+)?$/.test(seconds))
    throw new UsageError(`--in ${seconds}: has to be seconds`);
  return {
    ...(at !== undefined && { dueAt: at }),
    ...(seconds !== undefined && { delaySeconds: Number(seconds) }),
    ...(localTime !== undefined && { localTime }),
    ...(zone !== undefined && { zone }),
  };
}
