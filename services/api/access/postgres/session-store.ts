import type { Pool } from 'pg';
import type { ApiKeyRecord } from '../../../../shared/ports/api-keys.ts';
import { linkLifeMs, sessionIdleMs, sessionMaxMs, sessionTouchMs } from '../session-lives.ts';

export interface SessionRecord {
  apiKey: ApiKeyRecord;
  createdAt: Date;
  /** Whatever is done with it until then. */
  expiresAt: Date;
}

export type SessionStore = ReturnType<typeof createSessionStore>;

/**
 * Log-ins by key, and links that open one once. Both are kept under SHA-256 digests of secrets: a reader of the tables
 * can use neither. They end with their key.
 */
export function createSessionStore({ pool }: { pool: Pool }) {
  /**
   * The session behind a digest, unless it is over or its key was revoked. To ask is to use it: its idle time begins
   * anew.
   */
  async function find(digest: string): Promise<SessionRecord | undefined> {
    const values = [digest, sessionIdleMs, sessionTouchMs];
    const { rows } = await pool.query<SessionRow>({ name: 'find-session', text: findSession, values });
    return rows[0] && recordOf(rows[0]);
  }

  return {
    /** @throws when there is no such key */
    open: async (digest: string, apiKey: string): Promise<SessionRecord> => {
      await pool.query(insertSession, [digest, apiKey, sessionIdleMs, sessionMaxMs]);
      const session = await find(digest);
      if (!session) throw new Error('a session was not kept');
      return session;
    },
    find,
    /** False when there is none. */
    close: async (digest: string) =>
      (await pool.query('delete from sessions where digest = $1', [digest])).rowCount === 1,
    /** Closes all sessions of a key and takes its links back; returns how many sessions that were. */
    closeAll: async (apiKey: string): Promise<number> => {
      await pool.query('delete from session_links where api_key = $1', [apiKey]);
      return (await pool.query('delete from sessions where api_key = $1', [apiKey])).rowCount ?? 0;
    },
    /** Makes a link; returns until when it may be used. */
    addLink: async (digest: string, apiKey: string): Promise<Date> => {
      const { rows } = await pool.query<{ expiresAt: Date }>(insertLink, [digest, apiKey, linkLifeMs]);
      if (!rows[0]) throw new Error('a link was not kept');
      return rows[0].expiresAt;
    },
    /**
     * The key of a link that was not used before, is not too old, and whose key was not revoked. Of two who ask at
     * once, one gets it.
     */
    useLink: async (digest: string): Promise<ApiKeyRecord | undefined> =>
      (await pool.query<ApiKeyRecord>(takeLink, [digest])).rows[0],
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
