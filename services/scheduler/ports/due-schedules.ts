import type { SkippedRange } from '../../../shared/domain/recurrence/due-instants.ts';
import type { BrokenSchedule } from '../../../shared/contracts/schedules/kept-schedules.ts';

export interface FiredOccurrence {
  scheduleId: string;
  group: string;
  scheduledForMs: number;
  /** Id of the created job or run start. */
  targetId: string;
  isJob: boolean;
}

export interface SkippedOccurrences extends SkippedRange {
  scheduleId: string;
  /** Name of the schedule's group; empty if the occurrences of all groups were skipped. */
  group: string;
}

export interface Recurred {
  fired: FiredOccurrence[];
  /** Occurrences that wait until the previous fire has ended. */
  buffered: FiredOccurrence[];
  skipped: SkippedOccurrences[];
  /** Schedules without further occurrences. */
  ended: string[];
  /** Schedules that the scheduler could not read or plan, and has marked as broken. */
  broken: BrokenSchedule[];
  examined: number;
  /**
   * Milliseconds until this region has to call `recur` again, by the database's clock; null if nothing is scheduled.
   */
  nextCheckInMs: number | null;
}

export interface Rearmed {
  /** Number of schedules that were repaired: the time of their next scan was missing or wrong. */
  repaired: number;
  broken: BrokenSchedule[];
  /** Schedules that were broken, can be read again, and are now active. */
  readable: string[];
  brokenNow: number;
  /** Id of the last schedule that was examined; null after the last page. */
  cursor: string | null;
}

export interface SchedulerNode {
  region: string;
  /** Name of this process, which no other process has. */
  owner: string;
}

export interface DueSchedules {
  /**
   * Decides the due occurrences of at most `limit` schedules that no other node has locked. An occurrence is due by the
   * database's clock. One transaction writes the fired and skipped occurrences, with their jobs and run starts. Each
   * instant of a group is decided only once. If the region is switched off, nothing is decided. If a schedule cannot be
   * read or planned, or the database refuses its rows, this schedule becomes broken, and the others are decided
   * nevertheless. After a crash, the next call continues after the last decided instant of each schedule (its
   * high-water mark).
   */
  recur(node: SchedulerNode, limit: number): Promise<Recurred>;
  /**
   * Fires at most `limit` buffered occurrences whose previous fire has ended. Schedules that cannot be read become
   * broken. `isAny` is true if there were buffered occurrences.
   */
  fireBuffered(
    node: SchedulerNode,
    limit: number,
  ): Promise<{ fired: FiredOccurrence[]; broken: BrokenSchedule[]; isAny: boolean }>;
  /**
   * Examines the next `limit` schedules after `cursor`. Repairs active schedules whose next scan (the time at which the
   * scheduler must examine them) is missing or too late. Marks schedules that cannot be read as broken, and broken
   * schedules that can be read again as active.
   */
  rearm(limit: number, cursor: string | null): Promise<Rearmed>;
  /**
   * Deletes occurrences that were decided more than `days` ago and whose fires have ended. At most `limit` fired and
   * `limit` skipped ones are deleted.
   */
  forget(days: number, limit: number): Promise<number>;
}
