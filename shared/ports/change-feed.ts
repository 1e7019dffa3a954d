/**
 * Kinds of rows that may have changed: action types and shards, clients, states of regions, jobs, starts of runs and
 * schedules that fall due soon, waiting occurrences, states of runs, feeds without a trigger, schedulers and
 * dispatchers, open circuits of hosts, events for webhooks, audiences to count.
 */
export type ChangeKind =
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
 * Notifies this process when others commit changes (LISTEN/NOTIFY of Postgres). A notification may be lost with its
 * connection, and may come without a change: listeners also poll, less often.
 */
export interface ChangeFeed {
  /** Calls the listener after changes of the kind, and whenever one may have been missed. It has to return at once. */
  on(kind: ChangeKind, listener: () => void): void;
  /** False: no notification arrives, and listeners have to poll more often. */
  isConnected(): boolean;
}
