import type { Clock } from '../../../shared/ports/clock.ts';
import type { Segmentation } from '../../../shared/ports/segmentation.ts';

/**
 * State of a feed by its last page request.
 * - `moving`: the last page arrived.
 * - `new`: no page has been requested yet.
 * - `uncertain`: the last page was not available.
 */
export type FeedStanding = 'moving' | 'new' | 'uncertain';

/**
 * Maximum number of concurrent page requests by state of the feed. Requests that hang, or may hang, thus do not block
 * feeds whose pages arrive.
 */
export const maxPageRequests = { moving: 32, new: 64, uncertain: 32 };
/**
 * Maximum number of concurrent requests for new feeds of one run. They may hang until their timeout, and later runs
 * must be able to send requests too.
 */
export const maxNewFeedsOfRun = 3;
/**
 * Additional concurrent requests for new feeds of the newest run. One becomes available every `everyMs`. Even if all
 * earlier requests hang for their timeout of ten seconds, one of the 32 is free again by then.
 */
export const newestRunSlots = { places: 32, everyMs: 320 };

/**
 * Maximum number of concurrent requests for counted audiences, in addition to the limits above, so that counts do not
 * delay feeds.
 */
export const maxCountRequests = 4;

/**
 * Maximum number of connections. There is one for each concurrent request, because waiting for a connection would count
 * towards the timeout of a request.
 */
export const segmentationConnections = {
  pages:
    maxPageRequests.moving + maxPageRequests.new + newestRunSlots.places + maxPageRequests.uncertain + maxCountRequests,
  descriptions: 64,
};

export interface PageRequester {
  runId: string;
  standing: FeedStanding;
}

type PageAnswer = Awaited<ReturnType<Segmentation['page']>>;

/** Limits concurrent page requests. A request that waits has not started, so its timeout is not running. */
export interface PageRequestLimiter {
  /**
   * Sends the request when it is the run's turn. If the signal aborts earlier, returns a failure without sending the
   * request.
   */
  request(requester: PageRequester, send: () => Promise<PageAnswer>, signal: AbortSignal): Promise<PageAnswer>;
}

export function createPageRequestLimiter({ clock }: { clock: Clock }): PageRequestLimiter {
  const turnsOf = {
    moving: createTurns({ places: maxPageRequests.moving, placesOfRun: Infinity, later: noLaterPlaces, clock }),
    new: createTurns({ places: maxPageRequests.new, placesOfRun: maxNewFeedsOfRun, later: newestRunSlots, clock }),
    uncertain: createTurns({ places: maxPageRequests.uncertain, placesOfRun: Infinity, later: noLaterPlaces, clock }),
  };
  return {
    request: async ({ runId, standing }, send, signal) => {
      const turns = turnsOf[standing];
      if (!(await turns.begin(runId, signal))) return stopped;
      try {
        return await send();
      } finally {
        turns.end(runId);
      }
    },
  };
}

const stopped: PageAnswer = {
  ok: false,
  failure: { kind: 'unavailable', cause: 'stopped before the request was sent', retryAfterMs: null },
};

type Waiter = (isTurn: boolean) => void;

interface TurnTerms {
  places: number;
  placesOfRun: number;
  later: { places: number; everyMs: number };
  clock: Clock;
}

const noLaterPlaces = { places: 0, everyMs: 0 };

/**
 * Creates a limit for concurrent requests. Runs get free places in turn, so that a run with hundreds of feeds does not
 * get more than a run with one.
 */
function createTurns({ places, placesOfRun, later, clock }: TurnTerms) {
  /**
   * Waiting requests by run, in the order of turns. The order is that of insertion: after its turn, a run moves to the
   * end.
   */
  const waiting = new Map<string, Set<Waiter>>();
  const takenBy = new Map<string, number>();
  let taken = 0;
  let laterAtMs = -Infinity;
  let isLaterAwaited = false;

  const hasPlace = (runId: string) => (takenBy.get(runId) ?? 0) < placesOfRun;
  const hasLaterPlace = () => taken < places + later.places;

  function take(runId: string, change: 1 | -1): void {
    if (change === 1 && taken >= places) laterAtMs = clock.monotonicMs() + later.everyMs;
    taken += change;
    const own = (takenBy.get(runId) ?? 0) + change;
    if (own === 0) takenBy.delete(runId);
    else takenBy.set(runId, own);
  }

  function isFree(): boolean {
    return taken < places || (hasLaterPlace() && clock.monotonicMs() >= laterAtMs);
  }

  function wait(runId: string, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const own = waiting.get(runId) ?? new Set<Waiter>();
      waiting.set(runId, own);
      const leave = () => {
        own.delete(settle);
        if (own.size === 0 && waiting.get(runId) === own) waiting.delete(runId);
        resolve(false);
      };
      const settle: Waiter = (isTurn) => {
        signal.removeEventListener('abort', leave);
        resolve(isTurn);
      };
      own.add(settle);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /**
   * Returns the run that gets the next free place. The additional places go to the newest run, which has the greatest
   * id.
   */
  function nextRun(): string | undefined {
    const runIds = [...waiting.keys()].filter(hasPlace);
    return taken < places ? runIds[0] : runIds.toSorted().at(-1);
  }

  function giveNext(): void {
    const runId = isFree() ? nextRun() : undefined;
    const own = runId === undefined ? undefined : waiting.get(runId);
    const [next] = own ?? [];
    if (runId !== undefined && own && next) {
      own.delete(next);
      waiting.delete(runId);
      if (own.size > 0) waiting.set(runId, own);
      take(runId, 1);
      next(true);
    }
    awaitLaterPlace();
  }

  function awaitLaterPlace(): void {
    if (isLaterAwaited || waiting.size === 0 || !hasLaterPlace() || taken < places) return;
    isLaterAwaited = true;
    void clock.sleep(Math.max(1, laterAtMs - clock.monotonicMs())).then(() => {
      isLaterAwaited = false;
      giveNext();
    });
  }

  return {
    /** Resolves to true when the turn comes, to false if the signal aborts first. The caller has to end each turn. */
    begin: (runId: string, signal: AbortSignal): Promise<boolean> => {
      if (signal.aborted) return Promise.resolve(false);
      if (!isFree() || !hasPlace(runId)) {
        const turn = wait(runId, signal);
        awaitLaterPlace();
        return turn;
      }
      take(runId, 1);
      return Promise.resolve(true);
    },
    end: (runId: string): void => {
      take(runId, -1);
      giveNext();
    },
  };
}
