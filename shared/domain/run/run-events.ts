/**
 * What becomes of a run, as its history tells it.
 *
 * - `created`, `begun`: its job fell due; its feeds were there. Where a person asked for just this run, such as by
 *   starting its campaign once, the detail of the first says who.
 * - `pausing`, `resumed`, `cancelling`, `changed`: a person asked for it; the detail says who.
 * - `auto-paused`: Muster paused it; the detail has the cause.
 * - `paused`: no worker holds a step of it any more.
 * - `snapshot-renewed`: a feed goes on behind its cursor on another snapshot of its segment.
 * - `breaker-opened`, `breaker-closed`: an endpoint that its users have yet to pass was down, and is called again.
 * - `worker-missing`, `worker-back`: no worker served a step in a country that its batches were in, and one does again.
 * - `step-held`, `step-released`: a step in a country waits for a person, and does so no more.
 * - `feed-stalled`, `feed-moved`: whom it is for could not be read in a country, and can be again.
 * - `repaired`: sums or agenda of a feed were not what its rows say; the detail has what was set right.
 * - `ended`: the detail has its last state, and the reason.
 */
/**
 * What comes in a run's way by itself, and goes. Seen by a look, once a second: what is shorter than that may not be
 * told.
 */
export const troubleEventKinds = [
  'breaker-opened',
  'breaker-closed',
  'worker-missing',
  'worker-back',
  'step-held',
  'step-released',
  'feed-stalled',
  'feed-moved',
] as const;

export type TroubleEventKind = (typeof troubleEventKinds)[number];

/** Of a run: what flaps for days is not listed for days. */
export const maxTroubleEvents = 500;

export const runEventKinds = [
  'created',
  'begun',
  'pausing',
  'auto-paused',
  'canary-passed',
  'paused',
  'resumed',
  'cancelling',
  'changed',
  'snapshot-renewed',
  ...troubleEventKinds,
  'repaired',
  'ended',
] as const;

export type RunEventKind = (typeof runEventKinds)[number];
