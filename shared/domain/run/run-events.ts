/**
 * Events in a run's history.
 *
 * - `created`: its start fell due. If a person requested this run, for example by starting its campaign once, the
 *   detail names the key. `begun`: its feeds were inserted.
 * - `pausing`, `resumed`, `cancelling`, `changed`: a person requested this change; the detail names the key.
 * - `auto-paused`: Muster paused the run; the detail has the cause.
 * - `paused`: no worker owns a step of the run any more.
 * - `snapshot-renewed`: a feed continues after its cursor on another snapshot of its segment.
 * - `breaker-opened`, `breaker-closed`: an endpoint that users of the run still need was down, and is called again.
 * - `worker-missing`, `worker-back`: no worker served a step in a country with batches of the run, and a worker does
 *   again.
 * - `step-held`, `step-released`: a step in a country waits for a person, and no longer waits.
 * - `feed-stalled`, `feed-moved`: the audience could not be read in a country, and can be read again.
 * - `repaired`: sums or agenda of a feed contradicted its rows; the detail has the corrections.
 * - `ended`: the detail has the final state and the reason.
 */
/**
 * Events about obstacles that appear and disappear without a request. A check detects obstacles once a second, so it
 * may miss short ones.
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

/** Maximum number of trouble events of a run, so that an obstacle that flaps for days does not fill its history. */
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
