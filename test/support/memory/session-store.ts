import {
  linkLifeMs,
  sessionIdleMs,
  sessionMaxMs,
  sessionTouchMs,
  type SessionRecord,
  type SessionStore,
} from '../../../services/api/access/session-store.port.ts';
import { recordOf as keyRecordOf } from './api-keys.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function createMemorySessionStore({ database }: { database: MemoryDatabase }): SessionStore {
  const { sessions, sessionLinks, apiKeys, clock } = database;

  function keyOf(apiKey: string) {
    const row = apiKeys.get(apiKey);
    return row?.revokedAt === null ? keyRecordOf(row) : undefined;
  }

  function find(digest: string): SessionRecord | undefined {
    const row = sessions.get(digest);
    const apiKey = row && keyOf(row.apiKey);
    if (!apiKey || Math.min(row.idleUntilMs, row.expiresAtMs) <= clock.nowMs()) return undefined;
    const idleUntilMs = clock.nowMs() + sessionIdleMs;
    if (row.idleUntilMs < idleUntilMs - sessionTouchMs) row.idleUntilMs = idleUntilMs;
    return { apiKey, createdAt: new Date(row.createdAtMs), expiresAt: new Date(row.expiresAtMs) };
  }

  return {
    open: (digest, apiKey) =>
      atOnce(() => {
        const nowMs = clock.nowMs();
        const ends = { idleUntilMs: nowMs + sessionIdleMs, expiresAtMs: nowMs + sessionMaxMs };
        if (apiKeys.has(apiKey)) sessions.set(digest, { digest, apiKey, createdAtMs: nowMs, ...ends });
        const session = find(digest);
        if (!session) throw new Error('a session was not kept');
        return session;
      }),
    find: (digest) => atOnce(() => find(digest)),
    close: (digest) => atOnce(() => sessions.delete(digest)),
    closeAll: (apiKey) =>
      atOnce(() => {
        for (const link of [...sessionLinks.values()]) if (link.apiKey === apiKey) sessionLinks.delete(link.digest);
        const own = [...sessions.values()].filter((row) => row.apiKey === apiKey);
        for (const { digest } of own) sessions.delete(digest);
        return own.length;
      }),
    addLink: (digest, apiKey) =>
      atOnce(() => {
        if (!apiKeys.has(apiKey)) throw new Error('a link was not kept');
        const expiresAtMs = clock.nowMs() + linkLifeMs;
        sessionLinks.set(digest, { digest, apiKey, expiresAtMs });
        return new Date(expiresAtMs);
      }),
    useLink: (digest) =>
      atOnce(() => {
        const link = sessionLinks.get(digest);
        sessionLinks.delete(digest);
        return link && link.expiresAtMs > clock.nowMs() ? keyOf(link.apiKey) : undefined;
      }),
  };
}
