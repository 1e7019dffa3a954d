import { beforeEach, describe, expect, it } from 'vitest';
import { createRetentionStore } from '../../services/trigger/retain/postgres/retention.ts';
import { databaseForFile } from '../support/file-database.ts';
import { linkLifeMs, sessionIdleMs, sessionMaxMs } from '../../services/api/access/session-lives.ts';
import { createSessionStore, type SessionStore } from '../../services/api/access/postgres/session-store.ts';
import type { ApiKeyRecord } from '../../services/api/access/credentials/postgres/key-rows.ts';
import { createKeyStore, type KeyStore } from '../../services/api/access/credentials/postgres/key-store.ts';

interface SessionSubject {
  keys: KeyStore;
  sessions: SessionStore;
  passTime(ms: number): Promise<void>;
  /** Counts the rows of sessions and links, including ended ones. */
  countSessions(): Promise<number>;
  deleteSessions(limit: number): Promise<number>;
}

const nobody = '01938f1e-7c00-7000-8000-000000000001';
const minuteMs = 60_000;

const database = databaseForFile();

async function makeSubject(): Promise<SessionSubject> {
  await database.empty();
  const { pool } = database;
  return {
    keys: createKeyStore({ pool }),
    sessions: createSessionStore({ pool }),
    /** The clock of the database cannot be moved, so the ends of sessions and links are moved towards it. */
    passTime: async (ms) => {
      const earlier = `- $1 * interval '1 ms'`;
      await pool.query(
        `update sessions set idle_expires_at = idle_expires_at ${earlier}, expires_at = expires_at ${earlier}`,
        [ms],
      );
      await pool.query(`update session_links set expires_at = expires_at ${earlier}`, [ms]);
    },
    countSessions: async () => {
      const { rows } = await pool.query<{ count: number }>(
        'select (select count(*) from sessions)::int + (select count(*) from session_links)::int as count',
      );
      return rows[0]?.count ?? 0;
    },
    deleteSessions: (limit) => createRetentionStore({ pool }).deleteSessions(limit),
  };
}

let subject: SessionSubject;
let sessions: SessionStore;
let apiKey: ApiKeyRecord;
beforeEach(async () => {
  subject = await makeSubject();
  sessions = subject.sessions;
  apiKey = await subject.keys.add({ name: 'console', digest: 'digest of a key', role: 'manager' });
});

const find = async (digest: string) => (await sessions.find([digest])).get(digest);

describe('the session store', () => {
  it('returns a session with its key, role and expiry', async () => {
    const opened = await sessions.open('s1', apiKey.key);
    expect(opened.apiKey).toEqual(apiKey);
    expect(opened.expiresAt.getTime() - opened.createdAt.getTime()).toBe(sessionMaxMs);
    const found = await find('s1');
    expect(found?.apiKey.lastUsedAt).toBeInstanceOf(Date);
    expect(found).toEqual({ ...opened, apiKey: { ...apiKey, lastUsedAt: found?.apiKey.lastUsedAt } });
    expect(await find('s2')).toBeUndefined();
  });

  it('opens no session for an unknown key', async () => {
    await expect(sessions.open('s1', nobody)).rejects.toThrow();
    expect(await find('s1')).toBeUndefined();
  });

  it('ends a session that was unused for twelve hours', async () => {
    await sessions.open('s1', apiKey.key);
    await subject.passTime(sessionIdleMs - minuteMs);
    expect(await find('s1')).toBeDefined();
    // The session was used, so its time begins again.
    await subject.passTime(sessionIdleMs - minuteMs);
    expect(await find('s1')).toBeDefined();
    await subject.passTime(sessionIdleMs + minuteMs);
    expect(await find('s1')).toBeUndefined();
  });

  it('ends a session after seven days, however often it is used', async () => {
    await sessions.open('s1', apiKey.key);
    for (let hours = 0; hours < 7 * 24 - 8; hours += 8) {
      await subject.passTime(8 * 60 * minuteMs);
      expect(await find('s1')).toBeDefined();
    }
    await subject.passTime(8 * 60 * minuteMs + minuteMs);
    expect(await find('s1')).toBeUndefined();
  });

  it('ends a session when its key is revoked', async () => {
    await sessions.open('s1', apiKey.key);
    await subject.keys.revoke(apiKey.key);
    expect(await find('s1')).toBeUndefined();
  });

  it('closes one session and leaves the others', async () => {
    await sessions.open('s1', apiKey.key);
    await sessions.open('s2', apiKey.key);
    expect(await sessions.close('s1')).toBe(true);
    expect(await sessions.close('s1')).toBe(false);
    expect(await find('s1')).toBeUndefined();
    expect(await find('s2')).toBeDefined();
  });

  it('closes all sessions and links of a key, and none of another key', async () => {
    const other = await subject.keys.add({ name: 'another', digest: 'digest of another', role: 'viewer' });
    await sessions.open('s1', apiKey.key);
    await sessions.open('s2', apiKey.key);
    await sessions.open('s3', other.key);
    await sessions.addLink('l1', apiKey.key);
    expect(await sessions.closeAll(apiKey.key)).toBe(2);
    expect(await find('s1')).toBeUndefined();
    expect(await find('s3')).toMatchObject({ apiKey: { name: 'another', role: 'viewer' } });
    expect(await sessions.useLink('l1')).toBeUndefined();
  });

  it('accepts a log-in link once', async () => {
    await sessions.addLink('l1', apiKey.key);
    const used = await Promise.all(Array.from({ length: 5 }, () => sessions.useLink('l1')));
    expect(used.filter((key) => key !== undefined)).toEqual([apiKey]);
    expect(await sessions.useLink('l1')).toBeUndefined();
  });

  it('accepts a log-in link for ten minutes', async () => {
    await sessions.addLink('l1', apiKey.key);
    await sessions.addLink('l2', apiKey.key);
    await subject.passTime(linkLifeMs - minuteMs);
    expect(await sessions.useLink('l1')).toEqual(apiKey);
    await subject.passTime(minuteMs);
    expect(await sessions.useLink('l2')).toBeUndefined();
  });

  it('returns no session and accepts no link of an expired key', async () => {
    await sessions.open('s1', apiKey.key);
    await sessions.addLink('l1', apiKey.key);
    await database.pool.query('update api_keys set expires_at = now()');
    expect(await find('s1')).toBeUndefined();
    expect(await sessions.useLink('l1')).toBeUndefined();
  });

  it('accepts no link of a revoked key', async () => {
    await sessions.addLink('l1', apiKey.key);
    await subject.keys.revoke(apiKey.key);
    expect(await sessions.useLink('l1')).toBeUndefined();
  });

  it('deletes only sessions and links that have ended', async () => {
    await sessions.open('s1', apiKey.key);
    await sessions.addLink('l1', apiKey.key);
    await subject.passTime(sessionIdleMs + minuteMs);
    await sessions.open('s2', apiKey.key);
    await sessions.addLink('l2', apiKey.key);

    expect(await subject.deleteSessions(1)).toBe(1);
    expect(await subject.deleteSessions(10)).toBe(1);
    expect(await subject.deleteSessions(10)).toBe(0);
    expect(await subject.countSessions()).toBe(2);
    expect(await find('s2')).toBeDefined();
    expect(await sessions.useLink('l2')).toMatchObject({ key: apiKey.key });
  });
});
