import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { CampaignCountsRow, CampaignLists } from '../campaigns/parts.ts';
import { wakeInBatches } from '../frame/wake-in-batches.ts';

export interface WatchCampaignsDeps {
  campaignLists: Pick<CampaignLists, 'counts' | 'changeMark'>;
  clock: Clock;
  logger: Logger;
}

export interface CampaignWatch {
  /** Yields the counts of all campaigns at once and after each change, until the signal aborts or `stop` is called. */
  follow(signal: AbortSignal): AsyncGenerator<CampaignCountsRow, void>;
  stop(): void;
}

const pollEveryMs = 2000;

/** Creates the watch, in which all readers share one poller. The poller stops when the last reader leaves. */
export function createCampaignWatch({ campaignLists, clock, logger }: WatchCampaignsDeps): CampaignWatch {
  const watchers = new Set<() => void>();
  const stopping = new AbortController();
  let polling: AbortController | undefined;
  let newest: { mark: string; counts: CampaignCountsRow } | undefined;

  const isOld = (reported: string | undefined) => newest === undefined || newest.mark === reported;

  async function readCounts(): Promise<void> {
    const mark = await campaignLists.changeMark();
    if (mark === newest?.mark) return;
    newest = { mark, counts: await campaignLists.counts({}) };
    wakeInBatches([...watchers]);
  }

  async function poll(signal: AbortSignal): Promise<void> {
    const isUnwatched = () => signal.aborted;
    while (!isUnwatched()) {
      try {
        await readCounts();
      } catch (error) {
        logger.warn({ err: error }, 'could not read the list of campaigns, retrying');
      }
      if (!isUnwatched()) await clock.sleep(pollEveryMs, signal);
    }
  }

  function join(wake: () => void): void {
    watchers.add(wake);
    if (polling) return;
    polling = new AbortController();
    // The last counts are outdated, because no poller was running since the last reader left.
    newest = undefined;
    void poll(polling.signal);
  }

  function leave(wake: () => void): void {
    watchers.delete(wake);
    if (watchers.size > 0) return;
    polling?.abort();
    polling = undefined;
  }

  return {
    follow: async function* (signal) {
      const ended = AbortSignal.any([signal, stopping.signal]);
      const isOver = () => ended.aborted;
      if (isOver()) return;
      let changed = new AbortController();
      const wake = () => changed.abort();
      join(wake);
      let reported: string | undefined;
      try {
        while (!isOver()) {
          if (isOld(reported)) await aborted(AbortSignal.any([changed.signal, ended]));
          if (isOver()) return;
          changed = new AbortController();
          if (newest === undefined || isOld(reported)) continue;
          reported = newest.mark;
          yield newest.counts;
        }
      } finally {
        leave(wake);
      }
    },
    stop: () => stopping.abort(),
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
