import type { RunSettings } from '../../../../shared/contracts/runs/runs.ts';
import type { RunEventKind } from '../../../../shared/domain/run/run-events.ts';
import type { RunState } from '../../../../shared/domain/run/run-states.ts';
import type { UnderWay } from '../../../../shared/domain/run/under-way.ts';
import type { Page } from '../../frame/page.port.ts';
import type { RunHeader } from '../run-reports.port.ts';

/** Changes of a run. Fields that are omitted stay as they are. */
export interface RunChange {
  to?: RunState;
  stateReason?: string | null;
  /** Settings of this run only; the campaign does not change. */
  settings?: Partial<RunSettings>;
  deadlineAt?: Date;
  /** Place of the variant, from 1, that a person chose for the users outside the canary. */
  variant?: number;
  /** True to judge failures anew: users whose calls have ended so far no longer count. */
  judgeFromHere?: boolean;
  /** Events that are appended to the run's history in this order. */
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

export interface ControlResult<Decision> {
  decision: Decision;
  run: RunHeader;
  underWay: UnderWay;
}

export interface RunControl {
  /**
   * Locks the run, calls `decide`, and writes the change that it returns with its events, in one transaction. Workers
   * and the trigger service notice the change when they next read the run. Returns undefined if the run does not exist.
   */
  change<Decision extends { change: RunChange | null }>(
    runId: string,
    decide: (run: RunHeader) => Decision,
  ): Promise<ControlResult<Decision> | undefined>;
  underWay(runId: string): Promise<UnderWay>;
  /**
   * Returns events in chronological order; `cursor` is the id of the last event of the previous page. Empty if the run
   * does not exist.
   * @throws {InvalidCursorError} if the cursor is not an id
   */
  events(runId: string, limit: number, cursor: string | null): Promise<Page<RunEvent>>;
}
