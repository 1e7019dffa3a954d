import type { Clock } from '../../ports/clock.ts';
import type { ChangeFeed } from '../../ports/change-feed.ts';
import type { Registry, RegistrySource } from '../../ports/registry.ts';
import type { Logger } from '../logger.ts';
import { createSnapshotReader, type SnapshotReader } from './snapshot-reader.ts';

export interface RegistryReaderDeps {
  registry: RegistrySource;
  changes: ChangeFeed;
  clock: Clock;
  logger: Logger;
}

/** Reader of a process's action types and shards: a snapshot that is replaced when the registry changes. */
export type RegistryReader = SnapshotReader<Registry>;

export function createRegistryReader({ registry, changes, clock, logger }: RegistryReaderDeps): RegistryReader {
  return createSnapshotReader({ name: 'read-registry', source: registry, kind: 'registry', changes, clock, logger });
}
