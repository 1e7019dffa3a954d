import type { Pool } from 'pg';
import type { ApiKeyRecord } from '../../../../shared/ports/api-keys.ts';
import {
  linkLifeMs,
  sessionIdleMs,
  sessionMaxMs,
  sessionTouchMs,
  type SessionRecord,
  type SessionStore,
} from '../session-store.port.ts';

export function createSessionStore({ pool }: { pool: Pool }): SessionStore {
  async function find(digest: string): Promise<SessionRecord | undefined> {
    const values = [digest, sessionIdleMs, sessionTouchMs];
    const { rows } = await pool.query<SessionRow>({ name: 'find-session', text: findSession, values });
    return rows[0] && recordOf(rows[0]);
  }

  return {
    open: async (digest, apiKey) => {
      await pool.query(insertSession, [digest, apiKey, sessionIdleMs, sessionMaxMs]);
      const session = await find(digest);
      if (!session) throw new Error('a session was not kept');
      return session;
    },
    find,
    close: async (digest) => (await pool.query('delete from sessions where digest = $1', [digest])).rowCount === 1,
    closeAll: async (apiKey) => {
      await pool.query('delete from session_links where api_key = $1', [apiKey]);
      return (await pool.query('delete from sessions where api_key = $1', [apiKey])).rowCount ?? 0;
    },
    addLink: async (digest, apiKey) => {
      const { rows } = await pool.query<{ expiresAt: Date }>(insertLink, [digest, apiKey, linkLifeMs]);
      if (!rows[0]) throw new Error('a link was not kept');
      return rows[0].expiresAt;
    },
    useLink: async (digest) => (await pool.query<ApiKeyRecord>(takeLink, [digest])).rows[0],
  };
}

interface SessionRow extends ApiKeyRecord {
  openedAt: Date;
  expiresAt: Date;
}

function recordOf({ openedAt, expiresAt, ...apiKey }: SessionRow): SessionRecord {
  return { apiKey, createdAt: openedAt, expiresAt };
}

const keyColumns = `k.id as key, k.name, k.role, k.created_at as "createdAt", k.revoked_at as "revokedAt"`;

/** $1 digest, $2 key, $3 idle ms, $4 most ms. */
const insertSession = `
  insert into sessions (digest, api_key, idle_until, expires_at)
  values ($1, $2, now() + $3::float8 * interval '1 ms', now() + $4::float8 * interval '1 ms')`;

/** $1 digest, $2 idle ms, $3 ms between two writes. */
const findSession = `
  with used as (
    update sessions set idle_until = now() + $2::float8 * interval '1 ms'
    where digest = $1 and least(idle_until, expires_at) > now()
      and idle_until < now() + ($2::float8 - $3::float8) * interval '1 ms'
  )
  select ${keyColumns}, s.created_at as "openedAt", s.expires_at as "expiresAt"
  from sessions s join api_keys k on k.id = s.api_key and k.revoked_at is null
  where s.digest = $1 and least(s.idle_until, s.expires_at) > now()`;

/** $1 digest, $2 key, $3 ms. */
const insertLink = `
  insert into session_links (digest, api_key, expires_at) values ($1, $2, now() + $3::float8 * interval '1 ms')
  returning expires_at as "expiresAt"`;

/** $1 digest. */
const takeLink = `
  with used as (delete from session_links where digest = $1 returning api_key, expires_at)
  select ${keyColumns} from used join api_keys k on k.id = used.api_key and k.revoked_at is null
  where used.expires_at > now()`;
