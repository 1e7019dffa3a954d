import type { Clock } from '../../../shared/ports/clock.ts';
import type { Segmentation } from '../../../shared/ports/segmentation.ts';

/**
 * - `moving`: its last page came.
 * - `new`: it was never asked for one.
 * - `uncertain`: its last page was not to be had.
 */
export type FeedStanding = 'moving' | 'new' | 'uncertain';

/** Pages asked for at once: what hangs, or may hang, keeps no feed out whose pages come. */
export const maxQuestions = { moving: 32, new: 64, uncertain: 32 };
/** Of the new feeds of one run: what is new hangs for as long as its time-out, and a later run must find a place. */
export const maxNewOfRun = 3;
/**
 * More places for new feeds, one in this time, for the newest run: however many hang before it for their
 * time-out of ten seconds, one of these is free by then.
 */
export const laterPlaces = { places: 32, everyMs: 320 };

/** Beside these, for audiences that are counted: they take nothing from what is fed. */
export const maxCountQuestions = 4;

/** No question waits for a connection: that would count towards its time-out. */
export const segmentationConnections = {
  pages: maxQuestions.moving + maxQuestions.new + laterPlaces.places + maxQuestions.uncertain + maxCountQuestions,
  descriptions: 64,
};

export interface Asker {
  runId: string;
  standing: FeedStanding;
}

type PageAnswer = Awaited<ReturnType<Segmentation['page']>>;

/** Who may ask the segmentation service for a page now. Who waits has not asked: that is no time-out. */
export interface PageQuestions {
  /** Asks in the run's turn. Answered at once, and not asked, when the signal aborts before. */
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

/** Resolves to whether its turn came. */
type Waiter = (isTurn: boolean) => void;

interface TurnTerms {
  places: number;
  placesOfRun: number;
  later: { places: number; everyMs: number };
  clock: Clock;
}

const noLaterPlaces = { places: 0, everyMs: 0 };

/** Places that are given to runs in turn: one with hundreds of feeds waits no less than one with a single feed. */
function createTurns({ places, placesOfRun, later, clock }: TurnTerms) {
  /** In the order of the runs' turns: a Map keeps it, and who had a turn goes to its end. */
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

  /** Whether one more may be asked now. */
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

  /** Ids of runs ascend with the time at which they were made. */
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
    /** False when the signal aborted first. Each turn that came is to be ended. */
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
