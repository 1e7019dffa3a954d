import type { SkippedRange } from '../../../shared/domain/recurrence/due-instants.ts';
import type { BrokenSchedule } from '../../../shared/contracts/schedules/kept-schedules.ts';

/** Something that a schedule did at this look. */
export interface FiredOccurrence {
  scheduleId: string;
  group: string;
  scheduledForMs: number;
  /** A job, or the start of a campaign's run. */
  targetId: string;
  isJob: boolean;
}

export interface SkippedOccurrences extends SkippedRange {
  scheduleId: string;
  /** Empty: all of the schedule's. */
  group: string;
}

export interface Recurred {
  fired: FiredOccurrence[];
  /** Waiting for the fire before to end. */
  buffered: FiredOccurrence[];
  skipped: SkippedOccurrences[];
  /** Schedules of which nothing comes any more. */
  ended: string[];
  /** Those that cannot be read or planned: they were set aside. */
  broken: BrokenSchedule[];
  /** Schedules that were looked at. */
  looked: number;
  /** Until this region has to look again, by the database's clock; null: nothing is to come. */
  nextLookInMs: number | null;
}

export interface Rearmed {
  /** How many had no time to be looked at, or a wrong one. */
  mended: number;
  /** Found to be broken. */
  broken: BrokenSchedule[];
  /** Broken before, and active again. */
  readable: string[];
  /** Of those that were looked at, how many are broken now. */
  brokenNow: number;
  /** The last id that was looked at; null: the end was reached. */
  cursor: string | null;
}

/** Who looks. */
export interface Looker {
  region: string;
  /** Tells this process apart from all others. */
  owner: string;
}

export interface DueSchedules {
  /**
   * In one transaction: takes at most `limit` schedules that are due by the database's clock and no other node holds,
   * decides about their instants, and writes what fires and what is skipped, with the jobs and run starts of what
   * fires. Who inserts an occurrence has fired it; an instant of a group is decided once. A region that is switched off
   * takes nothing. A schedule that cannot be read or planned, or whose rows the database refuses, is broken: it is set
   * aside with its cause, and the others are decided as if it were not there. A crash leaves all of it, or nothing: the
   * next look reads from the high-water mark what was decided.
   */
  recur(looker: Looker, limit: number): Promise<Recurred>;
  /**
   * Fires what was buffered and has nothing at work before it any more. At most `limit`. A schedule that cannot be
   * read is broken, as in `recur`. `isAny`: whether anything was buffered.
   */
  fireBuffered(
    looker: Looker,
    limit: number,
  ): Promise<{ fired: FiredOccurrence[]; broken: BrokenSchedule[]; isAny: boolean }>;
  /**
   * Gives active schedules a time to look at them that have none, or one that lies behind their next instant, `limit`
   * after `cursor`. One that cannot be read is broken; one that was, and can be read again, is active.
   */
  rearm(limit: number, cursor: string | null): Promise<Rearmed>;
  /**
   * Deletes what was decided so many days ago and is not at work any more; at most `limit` of what fired, and of what
   * was skipped.
   */
  forget(days: number, limit: number): Promise<number>;
}
