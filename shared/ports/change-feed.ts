/**
 * Kinds of rows that may have changed. `jobs`, `run-starts` and `schedules`: rows that fall due soon. `occurrences`:
 * waiting rows. `feeds`: feeds without a trigger. `nodes`: schedulers and dispatchers. `hosts`: open circuits.
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
  | 'notification-events'
  | 'audience-counts';

/**
 * Notifies this process when other processes commit changes (LISTEN/NOTIFY of Postgres). A notification may be lost
 * with its connection, and may arrive without a change. Listeners therefore also poll, less often.
 */
export interface ChangeFeed {
  /**
   * Calls the listener after changes, and when a notification may have been missed. The listener must return at once.
   */
  on(kind: ChangeKind, listener: () => void): void;
  /** Returns false if no notification arrives; listeners then have to poll more often. */
  isConnected(): boolean;
}
