import type {
  RegisteredActionType,
  RegisteredShard,
  RegistrySource,
  Seed,
  ShardStore,
} from '../../../shared/ports/registry.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { ActionTypeRow } from './service-tables.ts';

interface Database {
  database: MemoryDatabase;
}

export function createMemoryRegistrySource({ database }: Database): RegistrySource {
  return {
    revision: () => atOnce(() => database.registry.revision),
    read: () =>
      atOnce(() => ({
        revision: database.registry.revision,
        actionTypes: typesIn(database),
        shards: [...database.shards.values()]
          .filter(({ actionType }) => isThere(database.actionTypes.get(actionType)))
          .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
        quietHours: database.quietHours,
      })),
  };
}

export function createMemoryShardStore({ database }: Database): ShardStore {
  return {
    ensure: (wanted, partitions) =>
      atOnce(() => {
        const known = wanted.filter(({ actionType }) => isThere(database.actionTypes.get(actionType)));
        const alive = known.map((shard) => bringToLife(database, shard, partitions));
        return [...new Set(alive)];
      }),
    raise: (shard, partitions) =>
      atOnce(() => {
        const known = database.shards.get(keyOf(shard));
        if (!known || known.partitions >= partitions) return known;
        const raised = { ...known, partitions };
        database.shards.set(keyOf(shard), raised);
        database.registry.revision++;
        return raised;
      }),
  };
}

/** Fills the registry like a process that starts with this file. */
export function seedMemoryRegistry(
  database: MemoryDatabase,
  { actionTypes, countries = [], partitionsPerShard }: Seed,
) {
  const { clock } = database;
  for (const [name, config] of Object.entries(actionTypes)) {
    if (!database.actionTypes.has(name)) {
      const row = { ...newRow(name, clock.now()), config, origin: 'file' as const };
      database.actionTypes.set(name, row);
      database.registry.revision++;
    }
    for (const country of countries) bringToLife(database, { actionType: name, country }, partitionsPerShard);
  }
}

function newRow(name: string, now: Date) {
  return { name, revision: 1, enabled: true, secrets: {}, createdAt: now, updatedAt: now, deletedAt: null };
}

function bringToLife(
  database: MemoryDatabase,
  { actionType, country }: { actionType: string; country: string },
  partitions: number,
) {
  const key = keyOf({ actionType, country });
  const known = database.shards.get(key);
  if (known) return known;
  const shard: RegisteredShard = { actionType, country, partitions, createdAt: database.clock.now() };
  database.shards.set(key, shard);
  database.registry.revision++;
  return shard;
}

function isThere(row: ActionTypeRow | undefined): boolean {
  return row?.deletedAt === null;
}

function typesIn({ actionTypes }: MemoryDatabase): RegisteredActionType[] {
  return [...actionTypes.values()]
    .filter(isThere)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(displayedOf);
}

function displayedOf({ deletedAt: _deletedAt, ...row }: ActionTypeRow): RegisteredActionType {
  return structuredClone(row);
}

function keyOf({ actionType, country }: { actionType: string; country: string }): string {
  return `${actionType}/${country}`;
}
