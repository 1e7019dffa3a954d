/**
 * What becomes of a run, as its history tells it.
 *
 * - `created`, `begun`: its job fell due; its feeds were there.
 * - `pausing`, `resumed`, `cancelling`, `changed`: somebody asked for it; the detail says who.
 * - `auto-paused`: Muster paused it; the detail has the cause.
 * - `paused`: nobody holds anything of it any more.
 * - `snapshot-renewed`: a feed goes on behind its cursor on another snapshot of its segment.
 * - `repaired`: sums or agenda of a feed were not what its rows say; the detail has what was set right.
 * - `ended`: the detail has its last state, and the reason.
 */
export const runEventKinds = [
  'created',
  'begun',
  'pausing',
  'auto-paused',
  'paused',
  'resumed',
  'cancelling',
  'changed',
  'snapshot-renewed',
  'repaired',
  'ended',
] as const;

export type RunEventKind = (typeof runEventKinds)[number];
