import { v7 as uuidv7 } from 'uuid';
import type { ApiKeyRecord, ApiKeys } from '../../../shared/ports/api-keys.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { ApiKeyRow } from './service-tables.ts';

export function createMemoryApiKeys({ database }: { database: MemoryDatabase }): ApiKeys {
  const { apiKeys, clock } = database;
  const byDigest = (digest: string) => [...apiKeys.values()].find((row) => row.digest === digest);

  return {
    add: (name, digest, role) =>
      atOnce(() => {
        const existing = byDigest(digest);
        if (existing) return recordOf(existing);
        const row = { key: uuidv7(), name, role, digest, createdAt: clock.now(), revokedAt: null };
        apiKeys.set(row.key, row);
        return recordOf(row);
      }),

    find: (digest) =>
      atOnce(() => {
        const row = byDigest(digest);
        return row?.revokedAt === null ? recordOf(row) : undefined;
      }),

    list: () => atOnce(() => [...apiKeys.values()].sort((a, b) => (a.key < b.key ? -1 : 1)).map(recordOf)),

    revoke: (key) =>
      atOnce(() => {
        const row = apiKeys.get(key);
        if (row) row.revokedAt ??= clock.now();
        return row !== undefined;
      }),
  };
}

export function recordOf({ key, name, role, createdAt, revokedAt }: ApiKeyRow): ApiKeyRecord {
  return { key, name, role, createdAt, revokedAt };
}
