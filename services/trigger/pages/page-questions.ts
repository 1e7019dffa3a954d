import type { Clock } from '../../../shared/ports/clock.ts';
import type { Segmentation } from '../../../shared/ports/segmentation.ts';

/**
 * - `moving`: the last page arrived.
 * - `new`: no page was requested yet.
 * - `uncertain`: the last page was not available.
 */
export type FeedStanding = 'moving' | 'new' | 'uncertain';

/** Concurrent page requests by standing. Requests that hang, or may hang, do not block feeds whose pages arrive. */
export const maxQuestions = { moving: 32, new: 64, uncertain: 32 };
/** Requests of one run's new feeds: they may hang until their timeout, and later runs need a place. */
export const maxNewOfRun = 3;
/**
 * Additional places for new feeds of the newest run. One opens every `everyMs`: even if earlier requests hang for their
 * timeout of ten seconds, one of 32 places is free by then.
 */
export const laterPlaces = { places: 32, everyMs: 320 };

/** Concurrent requests for counted audiences, in addition to the limits above: counts take no place from feeds. */
export const maxCountQuestions = 4;

/** Connections for all concurrent requests: waiting for a connection would count towards a request's timeout. */
export const segmentationConnections = {
  pages: maxQuestions.moving + maxQuestions.new + laterPlaces.places + maxQuestions.uncertain + maxCountQuestions,
  descriptions: 64,
};

export interface Asker {
  runId: string;
  standing: FeedStanding;
}

type PageAnswer = Awaited<ReturnType<Segmentation['page']>>;

/** Admission of page requests. A waiting request has not started, so its timeout does not run. */
export interface PageQuestions {
  /** Sends the request in the run's turn. If the signal aborts before, returns a failure without a request. */
  ask(asker: Asker, question: () => Promise<PageAnswer>, signal: AbortSignal): Promise<PageAnswer>;
}

export function createPageQuestions({ clock }: { clock: Clock }): PageQuestions {
  const turnsOf = {
    moving: createTurns({ places: maxQuestions.moving, placesOfRun: Infinity, later: noLaterPlaces, clock }),
    new: createTurns({ places: maxQuestions.new, placesOfRun: maxNewOfRun, later: laterPlaces, clock }),
    uncertain: createTurns({ places: maxQuestions.uncertain, placesOfRun: Infinity, later: noLaterPlaces, clock }),
  };
  return {
    ask: async ({ runId, standing }, question, signal) => {
      const turns = turnsOf[standing];
      if (!(await turns.begin(runId, signal))) return stopped;
      try {
        return await question();
      } finally {
        turns.end(runId);
      }
    },
  };
}

const stopped: PageAnswer = {
  ok: false,
  failure: { kind: 'unavailable', cause: 'stopped before it was asked', retryAfterMs: null },
};

type Waiter = (isTurn: boolean) => void;

interface TurnTerms {
  places: number;
  placesOfRun: number;
  later: { places: number; everyMs: number };
  clock: Clock;
}

const noLaterPlaces = { places: 0, everyMs: 0 };

/** Creates places that runs take in turn, so that hundreds of feeds get no more than one feed. */
function createTurns({ places, placesOfRun, later, clock }: TurnTerms) {
  /** Ordered by the runs' turns: a Map keeps insertion order, and a run that had a turn moves to the end. */
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

  /** Returns the run with the next turn. Later places go to the newest run: run ids ascend in time. */
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
