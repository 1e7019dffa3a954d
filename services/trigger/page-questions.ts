import type { Segmentation } from './ports/segmentation.ts';

/** Pages asked for at once, of feeds that move; and of feeds whose last page was not to be had: what hangs keeps nobody else out. */
export const maxQuestions = { moving: 32, uncertain: 32 };

export interface Asker {
  runId: string;
  /** Its last page was not to be had, and none has come since. */
  isUncertain: boolean;
}

type PageAnswer = Awaited<ReturnType<Segmentation['page']>>;

/** Who may ask the segmentation service for a page now. Who waits has not asked: that is no time-out. */
export interface PageQuestions {
  /** Asks in the run's turn. Answered at once, and not asked, when the signal aborts before. */
  ask(asker: Asker, question: () => Promise<PageAnswer>, signal: AbortSignal): Promise<PageAnswer>;
}

export function createPageQuestions(): PageQuestions {
  const moving = createTurns(maxQuestions.moving);
  const uncertain = createTurns(maxQuestions.uncertain);
  return {
    ask: async ({ runId, isUncertain }, question, signal) => {
      const turns = isUncertain ? uncertain : moving;
      if (!(await turns.begin(runId, signal))) return stopped;
      try {
        return await question();
      } finally {
        turns.end();
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

/** Places that are given to runs in turn: one with hundreds of feeds waits no less than one with a single feed. */
function createTurns(places: number) {
  /** In the order of the runs' turns: a Map keeps it, and who had a turn goes to its end. */
  const waiting = new Map<string, Set<Waiter>>();
  let taken = 0;

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

  function takeNext(): Waiter | undefined {
    const [entry] = waiting;
    if (!entry) return undefined;
    const [runId, own] = entry;
    const [next] = own;
    if (next) own.delete(next);
    waiting.delete(runId);
    if (own.size > 0) waiting.set(runId, own);
    return next;
  }

  return {
    /** False when the signal aborted first. Each turn that came is to be ended. */
    begin: (runId: string, signal: AbortSignal): Promise<boolean> => {
      if (signal.aborted) return Promise.resolve(false);
      if (taken >= places) return wait(runId, signal);
      taken++;
      return Promise.resolve(true);
    },
    end: (): void => {
      const next = takeNext();
      // The place goes from hand to hand.
      if (next) next(true);
      else taken--;
    },
  };
}
