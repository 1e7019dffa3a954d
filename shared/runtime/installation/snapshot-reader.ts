import type { Clock } from '../../ports/clock.ts';
import type { ChangeKind, ChangeFeed } from '../../ports/change-feed.ts';
import type { Logger } from '../logger.ts';
import { createLoop } from '../loop.ts';

/** Between two looks at the revision: a change of which nothing is told is known everywhere after about as long. */
const lookEveryMs = 1000;
/** The same while changes are told: one of which the notice was lost waits for this. */
const heardLookEveryMs = 5000;

/** Something that every process knows whole, and that says cheaply whether it has changed. */
export interface SnapshotSource<Snapshot extends { revision: number }> {
  revision(): Promise<number>;
  read(): Promise<Snapshot>;
}

export interface SnapshotReaderDeps<Snapshot extends { revision: number }> {
  /** Of the loop, in the log. */
  name: string;
  source: SnapshotSource<Snapshot>;
  /** Tells of a new revision. */
  kind: ChangeKind;
  changes: ChangeFeed;
  clock: Clock;
  logger: Logger;
}

/** What a process knows of it: a snapshot that it replaces when the revision has moved. */
export interface SnapshotReader<Snapshot> {
  /** The last snapshot; null before anything was read. */
  current(): Snapshot | null;
  /** Resolves with a snapshot at least as new as this call. Rejects when the store does not answer. */
  refresh(): Promise<Snapshot>;
  /** Called with each new snapshot from now on. Has to return at once. */
  onChange(listener: (snapshot: Snapshot) => void): void;
  /** Looks from now on. */
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
  let looking: Promise<Snapshot> | undefined;
  let next: Promise<Snapshot> | undefined;

  async function look(): Promise<Snapshot> {
    if (current?.revision === (await source.revision())) return current;
    const read = await source.read();
    if (current?.revision !== read.revision) {
      current = read;
      for (const listener of listeners) listener(read);
    }
    return read;
  }

  /**
   * A caller that asks while a look is under way gets the one after it, which is shared: the first may have begun too
   * early.
   */
  function refresh(): Promise<Snapshot> {
    if (!looking) return (looking = look().finally(() => (looking = undefined)));
    return (next ??= looking
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return refresh();
      }));
  }

  const turn = async () => {
    await refresh();
    return changes.isConnected() ? heardLookEveryMs : lookEveryMs;
  };
  // Changes that come in a row are read together.
  const loop = createLoop({ name, turn, afterErrorMs: lookEveryMs, minBetweenMs: lookEveryMs, clock, logger });
  changes.on(kind, () => loop.poke());

  return {
    current: () => current,
    refresh,
    onChange: (listener) => listeners.push(listener),
    start: () => loop.start(),
    stop: () => loop.stop(),
  };
}
