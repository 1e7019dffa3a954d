/**
 * Policies for instants that no scheduler could fire in time.
 * - `fire-once`: the newest instant fires in place of all
 * - `fire-all`: each instant fires, late
 * - `skip`: none fires
 */
export const misfirePolicies = ['fire-once', 'fire-all', 'skip'] as const;
export type MisfirePolicy = (typeof misfirePolicies)[number];

/**
 * Policies for an instant while an earlier fire of the schedule is running for the same group.
 * - `skip`: the instant does not fire
 * - `buffer-one`: the instant fires when the earlier one has ended; further instants until then do not fire
 * - `allow`: the instant fires concurrently
 */
export const overlapPolicies = ['skip', 'buffer-one', 'allow'] as const;
export type OverlapPolicy = (typeof overlapPolicies)[number];

/**
 * Reasons why an instant did not fire.
 * - `clock-change`: no clock showed the time
 * - `day-off`: the time is on a day off of the schedule's work calendar
 * - `paused`, `disabled`: state of the schedule at that time
 * - `broken`: the schedule was unreadable at that time and has been changed since
 * - `misfire`: no scheduler could fire in time, and by the policy the instant does not fire, or another fires in its
 *   place
 * - `too-late`: no scheduler could fire in time, and the instant is older than the catch-up window
 * - `overlap`: the previous fire was still running
 * - `no-groups`: no groups were selected at that time
 * - `quota`: its client had no room for another job, by its stored jobs or its rate; or the account of its campaign had
 *   reached its limit of open runs
 * - `restored`: the database was restored to an earlier moment, and the instant may have fired since then
 */
export const skipCauses = [
  'clock-change',
  'day-off',
  'paused',
  'disabled',
  'broken',
  'misfire',
  'too-late',
  'overlap',
  'no-groups',
  'quota',
  'restored',
] as const;
export type SkipCause = (typeof skipCauses)[number];

export interface RecurrencePolicies {
  misfire: MisfirePolicy;
  /** Age in milliseconds from which an instant does not fire, whatever the misfire policy. */
  catchUpMs: number;
  overlap: OverlapPolicy;
}

export const wholeSchedule = '';
