import { HttpProblem } from '../frame/http-problem.ts';
import type { Quotas } from '../../../shared/domain/quotas.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { keyLifeMs } from './remembered-credentials.ts';

/** Opens streams that end when their reader disconnects or their key ends. */
export interface EventStreams {
  /**
   * Opens a stream.
   * @param account of the key; its streams in one process are bounded, over all its keys
   * @param isKeyGood called repeatedly; an error counts as yes, because an unavailable database revokes nothing
   * @param gone aborts when the reader has disconnected
   * @returns a signal that aborts when the stream has to end
   * @throws {HttpProblem} 429 if the account has too many open streams
   */
  open(account: string, isKeyGood: () => Promise<boolean>, gone: AbortSignal): AbortSignal;
  openOf(account: string): number;
}

export interface EventStreamsDeps {
  quotas: Pick<Quotas, 'streams'>;
  clock: Clock;
  logger: Logger;
}

export function createEventStreams({ quotas, clock, logger }: EventStreamsDeps): EventStreams {
  const openByAccount = new Map<string, number>();
  const openOf = (account: string) => openByAccount.get(account) ?? 0;

  function add(account: string, change: 1 | -1): void {
    const count = openOf(account) + change;
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
        logger.warn({ err: error }, 'could not ask whether the key of a stream is still good, asking again');
      }
    }
  }

  return {
    openOf,
    open: (account, isKeyGood, gone) => {
      if (openOf(account) >= quotas.streams) throw tooManyStreams(quotas.streams);
      add(account, 1);
      gone.addEventListener('abort', () => add(account, -1), { once: true });
      const revoked = new AbortController();
      void watchKey(isKeyGood, gone, () => revoked.abort());
      return AbortSignal.any([gone, revoked.signal]);
    },
  };
}

function tooManyStreams(limit: number): HttpProblem {
  const detail = `the keys of this account hold ${limit} event streams open already (QUOTA_STREAMS); close one, or ask without text/event-stream`;
  return new HttpProblem({ status: 429, code: 'too-many-streams', detail, headers: { 'retry-after': '5' } });
}
