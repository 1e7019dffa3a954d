import type { RunSettings } from '../../../../shared/contracts/runs/runs.ts';
import type { RunEventKind } from '../../../../shared/domain/run/run-events.ts';
import type { RunState } from '../../../../shared/domain/run/run-states.ts';
import type { UnderWay } from '../../../../shared/domain/run/under-way.ts';
import type { Page } from '../../frame/page.port.ts';
import type { RunHeader } from '../run-reports.port.ts';

/** What is to be changed in a run. What is left out stays. */
export interface RunChange {
  to?: RunState;
  stateReason?: string | null;
  /** For this run alone; its campaign stays as it is. */
  settings?: Partial<RunSettings>;
  deadlineAt?: Date;
  /** Failures are judged anew from here: users that have ended so far count no more. */
  judgeFromHere?: boolean;
  /** Into its history, in this order. */
  events: readonly RunEventEntry[];
}

export interface RunEventEntry {
  kind: RunEventKind;
  detail: Readonly<Record<string, unknown>>;
}

export interface RunEvent extends RunEventEntry {
  eventId: string;
  at: Date;
}

/** What was decided of a run, and what came of it. */
export interface Controlled<Decision> {
  decision: Decision;
  /** As it is now. */
  run: RunHeader;
  underWay: UnderWay;
}

/** What people do to runs. */
export interface RunControl {
  /**
   * In one transaction: keeps everybody else from moving the run, asks what to make of it, and writes that with its
   * events. Workers and triggers see it when they look at the run the next time. Undefined when there is no such run.
   */
  change<Decision extends { change: RunChange | null }>(
    runId: string,
    decide: (run: RunHeader) => Decision,
  ): Promise<Controlled<Decision> | undefined>;
  underWay(runId: string): Promise<UnderWay>;
  /**
   * In the order in which they happened; `cursor` is the id of the last one of the page before. Empty for a run that is
   * not there.
   * @throws {InvalidCursorError} when it is no id
   */
  events(runId: string, limit: number, cursor: string | null): Promise<Page<RunEvent>>;
}
