import type { Pool } from 'pg';
import type { Role } from '../../../../shared/domain/roles.ts';
import { wholeScope, type Scope } from '../../../../shared/domain/scopes.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { isGoodKey, keyFields, keyOf, type ApiKeyRecord, type KeyRow } from '../credentials/postgres/key-rows.ts';
import { touchKeys } from '../credentials/postgres/key-store.ts';
import { linkLifeMs, sessionIdleMs, sessionMaxMs, sessionTouchMs } from '../session-lives.ts';

/** Rights and maximum duration of a session that was opened through an issuer. */
export interface SessionTerms {
  role: Role;
  scope: Scope;
  maxMs: number;
}

export interface SessionRecord {
  /** Key of the session, with the role and the scope of the session. */
  apiKey: ApiKeyRecord;
  createdAt: Date;
  /** Time at which the session ends at the latest, however much it is used. */
  expiresAt: Date;
}

export type SessionStore = ReturnType<typeof createSessionStore>;

/**
 * Creates the store of sessions, and of links that each open a session once. Both are stored as SHA-256 digests, so a
 * reader of the tables can use neither. Both end with their key.
 */
export function createSessionStore({ pool }: { pool: Pool }) {
  /**
   * Returns the valid sessions with these digests. This counts as a use of the sessions, so their idle time begins
   * again.
   */
  async function find(digests: readonly string[]): Promise<Map<string, SessionRecord>> {
    const values = [digests, sessionIdleMs, sessionTouchMs];
    const { rows } = await pool.query<SessionRow>({ name: 'find-sessions', text: findSessions, values });
    return new Map(rows.map((row) => [row.digest, recordOf(row)]));
  }

  return {
    /**
     * Opens a session.
     * @param terms if undefined, the session has the rights of its key
     * @throws {Error} if the key does not exist
     */
    open: async (digest: string, apiKey: string, terms?: SessionTerms): Promise<SessionRecord> => {
      const { role = null, scope = wholeScope, maxMs = sessionMaxMs } = terms ?? {};
      await pool.query(
        insertSession.with({
          digest,
          apiKey,
          idleMs: sessionIdleMs,
          maxMs,
          role,
          ...scope,
          users: scope.users ?? false,
        }),
      );
      const session = (await find([digest])).get(digest);
      if (!session) throw new Error('a session was not stored');
      return session;
    },
    find,
    /** Closes a session. Returns false if there is no such session. */
    close: async (digest: string) =>
      (await pool.query('delete from sessions where digest = $1', [digest])).rowCount === 1,
    /** Closes all sessions of a key and deletes its links. Returns the number of closed sessions. */
    closeAll: async (apiKey: string): Promise<number> => {
      await pool.query('delete from session_links where api_key = $1', [apiKey]);
      return (await pool.query('delete from sessions where api_key = $1', [apiKey])).rowCount ?? 0;
    },
    /** Returns, by key, the number of open sessions. Keys without sessions are missing. */
    countOpen: async (apiKeys: readonly string[]): Promise<Map<string, number>> => {
      const { rows } = await pool.query<{ key: string; sessions: number }>(countOpenSessions, [apiKeys]);
      return new Map(rows.map(({ key, sessions }) => [key, sessions]));
    },
    /** Stores a link and returns its expiry. */
    addLink: async (digest: string, apiKey: string): Promise<Date> => {
      const { rows } = await pool.query<{ expiresAt: Date }>(insertLink, [digest, apiKey, linkLifeMs]);
      if (!rows[0]) throw new Error('a link was not stored');
      return rows[0].expiresAt;
    },
    /**
     * Returns the key of a link that is unused and not expired, and whose key is valid. The link is then used. Of two
     * concurrent requests, only one gets the key.
     */
    useLink: async (digest: string): Promise<ApiKeyRecord | undefined> => {
      const { rows } = await pool.query<KeyRow>(takeLink, [digest]);
      return rows[0] && keyOf(rows[0]);
    },
    /** Returns the digests for which links are stored, expired or not. This is a cheap check before a link is used. */
    findLinks: async (digests: readonly string[]): Promise<Map<string, { digest: string }>> => {
      const { rows } = await pool.query<{ digest: string }>('select digest from session_links where digest = any($1)', [
        digests,
      ]);
      return new Map(rows.map((row) => [row.digest, row]));
    },
  };
}

interface SessionRow extends KeyRow {
  digest: string;
  /** Role of the session; null if the session has the rights of its key. */
  ownRole: Role | null;
  ownScope: Scope;
  openedAt: Date;
  endsAt: Date;
}

function recordOf(row: SessionRow): SessionRecord {
  const { ownRole, ownScope, openedAt, endsAt } = row;
  const own = ownRole === null ? {} : { role: ownRole, scope: ownScope };
  return { apiKey: { ...keyOf(row), ...own }, createdAt: openedAt, expiresAt: endsAt };
}

interface InsertParams extends Scope {
  digest: string;
  apiKey: string;
  idleMs: number;
  maxMs: number;
  role: Role | null;
}

const insertSession = statementOf<InsertParams>(
  'insert-session',
  ($) => `
  insert into sessions (digest, api_key, idle_expires_at, expires_at, role, clients, countries, action_types,
    reads_users)
  values (${$('digest')}, ${$('apiKey')}, now() + ${$('idleMs')}::float8 * interval '1 ms',
    now() + ${$('maxMs')}::float8 * interval '1 ms', ${$('role')}, ${$('clients')}::uuid[], ${$('countries')}::text[],
    ${$('actionTypes')}::text[], ${$('users')}::boolean)`,
);

const countOpenSessions = `
  select api_key as key, count(*)::int as sessions from sessions
  where api_key = any($1::uuid[]) and least(idle_expires_at, expires_at) > now() group by api_key`;

/** Finds sessions and records their use. $1: digests, $2: maximum idle time in ms, $3: ms between two writes. */
const findSessions = `
  with found as materialized (
    select s.digest, s.api_key, s.created_at, s.idle_expires_at, s.expires_at, s.role,
      jsonb_build_object('clients', s.clients, 'countries', s.countries, 'actionTypes', s.action_types,
        'users', s.reads_users) as scope
    from sessions s join api_keys k on k.id = s.api_key and ${isGoodKey}
    where s.digest = any($1::text[]) and least(s.idle_expires_at, s.expires_at) > now()
  ), used as (
    update sessions set idle_expires_at = now() + $2::float8 * interval '1 ms'
    where digest in (
      select digest from sessions
      where digest in (select digest from found)
        and idle_expires_at < now() + ($2::float8 - $3::float8) * interval '1 ms'
      order by digest for update skip locked
    )
  ), touched as (${touchKeys('select api_key from found')})
  select found.digest, found.created_at as "openedAt", found.expires_at as "endsAt",
    found.role as "ownRole", found.scope as "ownScope", ${keyFields}
  from found join api_keys k on k.id = found.api_key`;

/** Stores a link. $1: digest, $2: key, $3: duration in ms. */
const insertLink = `
  insert into session_links (digest, api_key, expires_at) values ($1, $2, now() + $3::float8 * interval '1 ms')
  returning expires_at as "expiresAt"`;

const takeLink = `
  with used as (delete from session_links where digest = $1 returning api_key, expires_at)
  select ${keyFields} from used join api_keys k on k.id = used.api_key and ${isGoodKey}
  where used.expires_at > now()`;
