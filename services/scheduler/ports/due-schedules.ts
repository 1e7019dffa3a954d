import type { SkippedRange } from '../../../shared/domain/recurrence/due-instants.ts';
import type { BrokenSchedule } from '../../../shared/contracts/schedules/kept-schedules.ts';

export interface FiredOccurrence {
  scheduleId: string;
  group: string;
  scheduledForMs: number;
  /** Id of a job, or of the start of a campaign's run. */
  targetId: string;
  isJob: boolean;
}

export interface SkippedOccurrences extends SkippedRange {
  scheduleId: string;
  /** Empty: all groups of the schedule. */
  group: string;
}

export interface Recurred {
  fired: FiredOccurrence[];
  /** Occurrences that wait for the end of the previous fire. */
  buffered: FiredOccurrence[];
  skipped: SkippedOccurrences[];
  /** Schedules without further occurrences. */
  ended: string[];
  /** Schedules that cannot be read or planned, and were marked as broken. */
  broken: BrokenSchedule[];
  looked: number;
  /** Milliseconds until this region has to look again, by the database's clock; null if nothing is scheduled. */
  nextLookInMs: number | null;
}

export interface Rearmed {
  /** Schedules without a time for the next look, or with a wrong one. */
  mended: number;
  broken: BrokenSchedule[];
  /** Schedules that were broken and are active again. */
  readable: string[];
  brokenNow: number;
  /** Last examined id; null at the end. */
  cursor: string | null;
}

export interface Looker {
  region: string;
  /** Identifies this process among all others. */
  owner: string;
}

export interface DueSchedules {
  /**
   * Decides at most `limit` schedules that are due by the database's clock and not locked by another node. One
   * transaction writes fired and skipped occurrences, with their jobs and run starts. Each instant of a group is
   * decided once. A region that is switched off takes nothing. If a schedule cannot be read or planned, or the database
   * refuses its rows, it becomes broken, without effect on others. After a crash, the next look continues from the
   * high-water mark.
   */
  recur(looker: Looker, limit: number): Promise<Recurred>;
  /**
   * Fires at most `limit` buffered occurrences whose previous fire has ended. Unreadable schedules become broken.
   * `isAny`: whether any occurrence was buffered.
   */
  fireBuffered(
    looker: Looker,
    limit: number,
  ): Promise<{ fired: FiredOccurrence[]; broken: BrokenSchedule[]; isAny: boolean }>;
  /**
   * Repairs active schedules whose next look is missing or too late: `limit` schedules after `cursor`. Marks unreadable
   * schedules as broken, and broken ones that can be read again as active.
   */
  rearm(limit: number, cursor: string | null): Promise<Rearmed>;
  /** Deletes decisions older than `days` whose fires have ended; at most `limit` fired and `limit` skipped ones. */
  forget(days: number, limit: number): Promise<number>;
}
