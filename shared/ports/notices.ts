/**
 * What may have changed: action types and shards, clients, the state of a region, what falls due soon (jobs, starts of
 * runs, schedules), occurrences that wait, states of runs, feeds that no trigger has, which schedulers and dispatchers
 * there are, hosts that are left alone, events that webhooks are to be told of, audiences that are to be counted.
 */
export type NoticeKind =
  | 'registry'
  | 'clients'
  | 'regions'
  | 'jobs'
  | 'run-starts'
  | 'schedules'
  | 'occurrences'
  | 'runs'
  | 'feeds'
  | 'nodes'
  | 'hosts'
  | 'webhook-events'
  | 'audience-counts';

/**
 * Tells this process at once of what others have committed. A notice may be lost with its connection, and may come for
 * nothing: who listens looks by itself as well, less often.
 */
export interface Notices {
  /** Called when there is something new of the kind, and whenever that is not certain. Has to return at once. */
  on(kind: NoticeKind, listener: () => void): void;
  /** While it is false nothing is told, and what may have changed has to be looked at more often. */
  isHearing(): boolean;
}
