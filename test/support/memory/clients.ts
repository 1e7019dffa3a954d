import type { ClientStore } from '../../../services/api/clients/client-store.port.ts';
import type { Client, ClientSource } from '../../../shared/ports/clients.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';

interface Database {
  database: MemoryDatabase;
}

export function createMemoryClientSource({ database: { scheduled, clock } }: Database): ClientSource {
  return {
    revision: () => atOnce(() => scheduled.clientsRevision),
    read: () =>
      atOnce(() => ({
        revision: scheduled.clientsRevision,
        clients: [...scheduled.clients.values()]
          .sort((a, b) => (a.name < b.name ? -1 : 1))
          .map((client) => shownAt(client, clock.now())),
      })),
  };
}

export function createMemoryClientStore({ database: { scheduled, clock } }: Database): ClientStore {
  const { clients } = scheduled;
  const isTaken = (name: string, but?: string) =>
    [...clients.values()].some((client) => client.name === name && client.clientId !== but);
  const show = (client: Client) => shownAt(client, clock.now());
  const put = (client: Client) => {
    clients.set(client.clientId, client);
    scheduled.clientsRevision++;
    return show(client);
  };
  const changed = (before: Client, change: Partial<Client>) =>
    put({ ...before, ...change, revision: before.revision + 1, updatedAt: clock.now() });

  return {
    list: (of, limit, cursor) =>
      atOnce(() => {
        const behind = [...clients.values()]
          .filter(({ clientId }) => (cursor === null || clientId > cursor) && (of?.includes(clientId) ?? true))
          .sort((a, b) => (a.clientId < b.clientId ? -1 : 1));
        const items = behind.slice(0, limit).map(show);
        return { items, next: behind.length > limit ? (items.at(-1)?.clientId ?? null) : null };
      }),

    get: (clientId) =>
      atOnce(() => {
        const client = clients.get(clientId);
        return client && show(client);
      }),

    create: ({ clientId, name, definition }) =>
      atOnce(() => {
        if (isTaken(name)) return undefined;
        const now = clock.now();
        const facts = { enabled: true, disabledReason: null, createdAt: now, updatedAt: now };
        return put({ clientId, name, definition, revision: 1, keys: [], ...facts });
      }),

    change: (clientId, change, expected) =>
      atOnce(() => {
        const before = clients.get(clientId);
        if (!before) return { kind: 'missing' };
        if (expected !== null && expected !== before.revision) return { kind: 'outdated', client: show(before) };
        const { name = before.name, definition = before.definition, enabled = before.enabled } = change;
        if (isTaken(name, clientId)) return { kind: 'name-taken' };
        const { disabledReason: reason = before.disabledReason } = change;
        const after = { name, definition, enabled, disabledReason: enabled ? null : reason };
        const isSame = JSON.stringify(after) === JSON.stringify(pick(before));
        return { kind: 'changed', client: isSame ? show(before) : changed(before, after) };
      }),

    addKey: (clientId, { keyId, sealed, othersExpireAt }) =>
      atOnce(() => {
        const before = clients.get(clientId);
        if (!before) return undefined;
        const others = before.keys.map((key) => ({ ...key, expiresAt: earlier(key.expiresAt, othersExpireAt) }));
        return changed(before, { keys: [{ keyId, sealed, createdAt: clock.now(), expiresAt: null }, ...others] });
      }),

    removeKey: (clientId, keyId) =>
      atOnce(() => {
        const before = clients.get(clientId);
        if (!before?.keys.some((key) => key.keyId === keyId)) return before && show(before);
        return changed(before, { keys: before.keys.filter((key) => key.keyId !== keyId) });
      }),
  };
}

function pick({ name, definition, enabled, disabledReason }: Client) {
  return { name, definition, enabled, disabledReason };
}

function earlier(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

function shownAt(client: Client, now: Date): Client {
  const isValid = ({ expiresAt }: { expiresAt: Date | null }) => expiresAt === null || expiresAt > now;
  return structuredClone({ ...client, keys: client.keys.filter(isValid) });
}
