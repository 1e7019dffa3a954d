import { decideVerb } from '../../services/api/runs/control/control-run.ts';
import type { ControlVerb } from '../../shared/domain/run/run-control.ts';
import type { MemoryDatabase } from '../support/memory/memory-database.ts';
import { createMemoryRunControl } from '../support/memory/run-control.ts';

/** Time in which no user may be called. */
export interface Stop {
  fromMs: number;
  untilMs: number;
}

export interface ControlPlan {
  cancelAfterMs: number | null;
  pauses: readonly { afterMs: number; forMs: number }[];
}

const by = { keyId: 'key_simulated', keyName: 'the simulation' };

/** Acts like a person at the API: controls the only run by the plan, and records when no user may be called. */
export function createControls(plan: ControlPlan, database: MemoryDatabase, startMs: number) {
  const { clock } = database;
  const control = createMemoryRunControl({ database });
  const stops: Stop[] = [];
  const due: { atMs: number; verb: ControlVerb; forMs: number }[] = [
    ...plan.pauses.map(({ afterMs, forMs }) => ({ atMs: startMs + afterMs, verb: 'pause' as const, forMs })),
    ...(plan.cancelAfterMs === null
      ? []
      : [{ atMs: startMs + plan.cancelAfterMs, verb: 'cancel' as const, forMs: Infinity }]),
  ];

  /** Executes a control action. The store is in memory, so the action is done when this function returns. */
  function ask(verb: ControlVerb, forMs: number): void {
    const run = [...database.runs.values()].at(0);
    if (!run) return;
    void control.change(run.id, (header) => {
      const decision = decideVerb(verb, header, by);
      if (decision.change) moved(verb, forMs);
      return decision;
    });
  }

  function moved(verb: ControlVerb, forMs: number): void {
    const nowMs = clock.nowMs();
    if (verb === 'resume') {
      for (const stop of stops) if (stop.untilMs === Infinity) stop.untilMs = nowMs;
    } else {
      stops.push({ fromMs: nowMs, untilMs: Infinity });
      if (verb === 'pause') {
        due.push({ atMs: nowMs + forMs, verb: 'resume', forMs: 0 });
        // The clock has to wake up at this time, so that the resume is requested.
        void clock.sleep(forMs);
      }
    }
  }

  return {
    ask,
    /** Executes the actions that are due, if the run exists. */
    askDue: () => {
      if (database.runs.size === 0) return;
      for (const entry of due.filter(({ atMs }) => atMs <= clock.nowMs())) {
        due.splice(due.indexOf(entry), 1);
        ask(entry.verb, entry.forMs);
      }
    },
    stops: () => stops,
  };
}
