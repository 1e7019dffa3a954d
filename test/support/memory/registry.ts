import type { ActionTypeChange, ActionTypeStore } from '../../../services/api/action-types/action-type-store.port.ts';
import type {
  RegisteredActionType,
  RegisteredShard,
  RegistrySource,
  SealedSecrets,
  Seed,
  ShardStore,
} from '../../../shared/ports/registry.ts';
import { secretNames } from '../../../shared/ports/registry.ts';
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

/** As a process does that starts with such a file. */
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

export function createMemoryActionTypeStore({ database }: Database): ActionTypeStore {
  const { actionTypes, clock } = database;
  const find = (name: string) => {
    const row = actionTypes.get(name);
    return row && isThere(row) ? row : undefined;
  };

  return {
    list: () => atOnce(() => typesIn(database)),
    get: (name) => atOnce(() => copyOf(find(name))),

    create: (name, type) =>
      atOnce(() => {
        if (find(name)) return undefined;
        const revision = (actionTypes.get(name)?.revision ?? 0) + 1;
        const { config, enabled = true } = type;
        if (!config) return undefined;
        const secrets = secretsAfter({}, type, clock.now());
        actionTypes.set(name, { ...newRow(name, clock.now()), revision, config, enabled, secrets, origin: 'api' });
        database.registry.revision++;
        return copyOf(find(name));
      }),

    change: (name, change, expected) =>
      atOnce(() => {
        const row = find(name);
        if (!row) return { kind: 'missing' };
        if (expected !== null && expected !== row.revision) return { kind: 'outdated', type: shownOf(row) };
        const { config = row.config, enabled = row.enabled } = change;
        const secrets = secretsAfter(row.secrets, change, clock.now());
        const isOther = JSON.stringify(config) !== JSON.stringify(row.config);
        if (!isOther && enabled === row.enabled && JSON.stringify(secrets) === JSON.stringify(row.secrets)) {
          return { kind: 'changed', type: shownOf(row) };
        }
        const origin = isOther ? ('api' as const) : row.origin;
        const next = { ...row, config, enabled, secrets, origin, revision: row.revision + 1, updatedAt: clock.now() };
        actionTypes.set(name, next);
        database.registry.revision++;
        return { kind: 'changed', type: shownOf(next) };
      }),

    remove: (name, expected) =>
      atOnce(() => {
        const row = find(name);
        if (!row) return { kind: 'missing' };
        if (expected !== null && expected !== row.revision) return { kind: 'outdated', type: shownOf(row) };
        const using = [...database.campaigns.values()]
          .filter(({ definition }) => definition.chain.some(({ action }) => action === name))
          .sort((a, b) => (a.id > b.id ? -1 : 1));
        if (using.length > 0) {
          const names = using.slice(0, 3).map(({ definition }) => definition.name);
          return { kind: 'used', campaigns: using.length, names };
        }
        actionTypes.set(name, { ...row, deletedAt: clock.now(), secrets: {}, revision: row.revision + 1 });
        database.registry.revision++;
        return { kind: 'removed' };
      }),
  };
}

function newRow(name: string, now: Date) {
  return { name, revision: 1, enabled: true, secrets: {}, createdAt: now, updatedAt: now, deletedAt: null };
}

function secretsAfter(before: SealedSecrets, { secrets = {} }: ActionTypeChange, now: Date): SealedSecrets {
  const after: SealedSecrets = { ...before };
  for (const name of secretNames) {
    const text = secrets[name];
    if (text === null) Reflect.deleteProperty(after, name);
    else if (text !== undefined) after[name] = { sealed: text, changedAt: now };
  }
  return after;
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
    .map(shownOf);
}

function copyOf(row: ActionTypeRow | undefined): RegisteredActionType | undefined {
  return row && shownOf(row);
}

function shownOf({ deletedAt: _deletedAt, ...row }: ActionTypeRow): RegisteredActionType {
  return structuredClone(row);
}

function keyOf({ actionType, country }: { actionType: string; country: string }): string {
  return `${actionType}/${country}`;
}
