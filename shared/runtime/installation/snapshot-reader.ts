import type { Clock } from '../../ports/clock.ts';
import type { ChangeKind, ChangeFeed } from '../../ports/change-feed.ts';
import type { Logger } from '../logger.ts';
import { createLoop } from '../loop.ts';

/** Interval of revision checks, in ms: changes without a notification are known after about this time. */
const pollEveryMs = 1000;
/** Interval while the change feed is connected: a change whose notification was lost is known after this time. */
const notifiedPollEveryMs = 5000;

/** Data that every process holds completely, with a cheap check for changes. */
export interface SnapshotSource<Snapshot extends { revision: number }> {
  revision(): Promise<number>;
  read(): Promise<Snapshot>;
}

export interface SnapshotReaderDeps<Snapshot extends { revision: number }> {
  name: string;
  source: SnapshotSource<Snapshot>;
  /** Kind of notification that reports a new revision. */
  kind: ChangeKind;
  changes: ChangeFeed;
  clock: Clock;
  logger: Logger;
}

/** Holds a snapshot of the data, and replaces it when the revision changes. */
export interface SnapshotReader<Snapshot> {
  /** Returns the last snapshot; null before the first read. */
  current(): Snapshot | null;
  /** Resolves with a snapshot at least as new as this call. Rejects if the store does not answer. */
  refresh(): Promise<Snapshot>;
  /** Adds a listener for new snapshots, which has to return at once. */
  onChange(listener: (snapshot: Snapshot) => void): void;
  start(): void;
  stop(): Promise<void>;
}

export function createSnapshotReader<Snapshot extends { revision: number }>({
  name,
  source,
  kind,
  changes,
  clock,
  logger,
}: SnapshotReaderDeps<Snapshot>): SnapshotReader<Snapshot> {
  const listeners: ((snapshot: Snapshot) => void)[] = [];
  let current: Snapshot | null = null;
  let reading: Promise<Snapshot> | undefined;
  let next: Promise<Snapshot> | undefined;

  async function read(): Promise<Snapshot> {
    if (current?.revision === (await source.revision())) return current;
    const read = await source.read();
    if (current?.revision !== read.revision) {
      current = read;
      for (const listener of listeners) listener(read);
    }
    return read;
  }

  /** Reads a snapshot. Calls during a read share the next read, because the running one may have begun too early. */
  function refresh(): Promise<Snapshot> {
    if (!reading) return (reading = read().finally(() => (reading = undefined)));
    return (next ??= reading
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return refresh();
      }));
  }

  const turn = async () => {
    await refresh();
    return changes.isConnected() ? notifiedPollEveryMs : pollEveryMs;
  };
  // Changes in quick succession are read together.
  const loop = createLoop({ name, turn, afterErrorMs: pollEveryMs, minBetweenMs: pollEveryMs, clock, logger });
  changes.on(kind, () => loop.poke());

  return {
    current: () => current,
    refresh,
    onChange: (listener) => listeners.push(listener),
    start: () => loop.start(),
    stop: () => loop.stop(),
  };
}
