/**
 * What becomes of instants at which no scheduler could fire.
 * - `fire-once`: one fire, the newest, stands for all of them
 * - `fire-all`: each fires, late
 * - `skip`: none fires
 */
export const misfirePolicies = ['fire-once', 'fire-all', 'skip'] as const;
export type MisfirePolicy = (typeof misfirePolicies)[number];

/**
 * What becomes of an instant whose schedule is still at work for the same group.
 * - `skip`: it does not fire
 * - `buffer-one`: it fires when the other has ended; whatever comes meanwhile does not
 * - `allow`: it fires beside the other
 */
export const overlapPolicies = ['skip', 'buffer-one', 'allow'] as const;
export type OverlapPolicy = (typeof overlapPolicies)[number];

/**
 * Why an instant did not fire.
 * - `clock-change`: no clock showed it
 * - `day-off`: it fell on a day off of the schedule's work calendar
 * - `paused`, `disabled`: the schedule was, then
 * - `broken`: the schedule could not be read, then, and was changed since
 * - `misfire`: no scheduler could fire in time, and the policy lets none or another one fire for it
 * - `too-late`: the same, and longer ago than the catch-up window
 * - `overlap`: the fire before was still at work
 * - `no-groups`: the schedule's groups were none, then
 * - `quota`: its client had no room for another job, by what it had stored or by its rate; or the account of its
 *   campaign had as many runs open as it may
 * - `restored`: the database was restored to an earlier moment, and it may have fired since then
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
  /** What is longer ago does not fire, whatever the misfire policy. */
  catchUpMs: number;
  overlap: OverlapPolicy;
}

/** The name under which a schedule without groups fires: it has exactly this one. */
export const wholeSchedule = '';
