import type { DefaultEndpoint } from '#client/types.gen.ts';
import { formatSetDuration } from '../times/times.ts';

/** Describes the retries of a job: `up to 5 calls, 500 ms apart`. */
export function describeRetries(retry: DefaultEndpoint['retry']): string {
  switch (retry.strategy) {
    case 'none':
      return 'no retries';
    case 'fixed':
      return `up to ${retry.attempts} calls, ${formatSetDuration(retry.delayMs)} apart`;
    case 'exponential':
      return `up to ${retry.attempts} calls, after ${formatSetDuration(retry.firstDelayMs)} and growing delays up to ${formatSetDuration(retry.maxDelayMs)}`;
  }
}
