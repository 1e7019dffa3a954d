import { HttpProblem } from '../frame/http-problem.ts';
import type { Quotas } from '../../../shared/domain/quotas.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { keyLifeMs } from './credentials/credential-cache.ts';

/**
 * Keeps account of open streams. Each stream ends when its reader disconnects, or when its key expires or is revoked.
 */
export interface EventStreams {
  /**
   * Opens a stream.
   * @param account account of the key; the number of its streams in one process is limited, over all keys of the
   * account
   * @param isKeyGood called repeatedly. An error counts as true, because an unavailable database is no revocation.
   * @param gone aborts when the reader has disconnected
   * @returns a signal that aborts when the stream must end
   * @throws {HttpProblem} 429 if the account has too many open streams
   */
  open(account: string, isKeyGood: () => Promise<boolean>, gone: AbortSignal): AbortSignal;
  countOpen(account: string): number;
}

export interface EventStreamsDeps {
  quotas: Pick<Quotas, 'streams'>;
  clock: Clock;
  logger: Logger;
}

export function createEventStreams({ quotas, clock, logger }: EventStreamsDeps): EventStreams {
  const openByAccount = new Map<string, number>();
  const countOpen = (account: string) => openByAccount.get(account) ?? 0;

  function add(account: string, change: 1 | -1): void {
    const count = countOpen(account) + change;
    if (count === 0) openByAccount.delete(account);
    else openByAccount.set(account, count);
  }

  async function watchKey(isKeyGood: () => Promise<boolean>, gone: AbortSignal, end: () => void): Promise<void> {
    const hasLeft = () => gone.aborted;
    while (!hasLeft()) {
      await clock.sleep(keyLifeMs, gone);
      if (hasLeft()) return;
      try {
        if (!(await isKeyGood())) {
          end();
          return;
        }
      } catch (error) {
        logger.warn({ err: error }, 'could not check whether the key of a stream is still valid, checking again');
      }
    }
  }

  return {
    countOpen,
    open: (account, isKeyGood, gone) => {
      if (countOpen(account) >= quotas.streams) throw tooManyStreams(quotas.streams);
      add(account, 1);
      gone.addEventListener('abort', () => add(account, -1), { once: true });
      const revoked = new AbortController();
      void watchKey(isKeyGood, gone, () => revoked.abort());
      return AbortSignal.any([gone, revoked.signal]);
    },
  };
}

function tooManyStreams(limit: number): HttpProblem {
  const detail = `the keys of this account already have ${limit} open event streams (QUOTA_STREAMS); close one, or send the request without text/event-stream`;
  return new HttpProblem({ status: 429, code: 'too-many-streams', detail, headers: { 'retry-after': '5' } });
}
