import { hash, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { Role } from '../../../../../shared/domain/roles.ts';
import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { onlyRow } from '../../../../../shared/postgres/connection/rows.ts';
import { keyState, type KeyState } from '../../../access/credentials/postgres/key-rows.ts';
import { reachOfRevision } from '../../../access/postgres/owners.ts';
import { mayShareRun } from '../../../access/rights.ts';

export interface ReportLinkRecord {
  linkId: string;
  runId: string;
  createdBy: string;
  createdAt: Date;
  expiresAt: Date;
  /**
   * State of the link by the database's clock. A link has the scope of the key that created it. `key-ended`: that key
   * may no longer share the run.
   */
  state: 'open' | 'expired' | 'revoked' | 'key-ended';
}

const maxOpenLinks = 100;
const tokenBytes = 24;
const tokenPattern = /^[A-Za-z0-9_-]{32}$/;

export type ReportLinks = ReturnType<typeof createReportLinks>;

export function createReportLinks({ pool }: { pool: Pool }) {
  return {
    /**
     * Creates a link. Returns undefined if the run has the maximum number of links. Only this result contains the
     * token.
     */
    make: async (runId: string, createdBy: string, lifeSeconds: number) => {
      const token = randomBytes(tokenBytes).toString('base64url');
      await pool.query(forgetOld);
      const { rows } = await pool.query<Pick<ReportLinkRecord, 'linkId' | 'createdAt' | 'expiresAt'>>(
        insertLink.with({ linkId: uuidv7(), digest: digestOf(token), runId, createdBy, lifeSeconds }),
      );
      const [made] = rows;
      return made && { token, link: { ...made, runId, createdBy, state: 'open' as const } };
    },

    list: async (runId: string): Promise<ReportLinkRecord[]> =>
      (await pool.query<LinkRow>(`${selectLinks} where l.run = $1 order by l.id desc limit 1000`, [runId])).rows.map(
        linkOf,
      ),

    /** Revokes a link. Returns false if the run has no such link. A repeat has no effect. */
    revoke: async (runId: string, linkId: string): Promise<boolean> => {
      const { rows } = await pool.query<{ found: boolean }>(revokeLink, [runId, linkId]);
      return onlyRow(rows).found;
    },

    /** Returns the run of a link. Returns undefined if the token is unknown or its link is no longer open. */
    open: async (token: string): Promise<{ runId: string; expiresAt: Date } | undefined> => {
      if (!tokenPattern.test(token)) return undefined;
      const [row] = (await pool.query<LinkRow>(`${selectLinks} where l.digest = $1`, [digestOf(token)])).rows;
      const link = row && linkOf(row);
      return link?.state === 'open' ? link : undefined;
    },
  };
}

function digestOf(token: string): string {
  return hash('sha256', token, 'hex');
}

interface LinkRow extends Pick<ReportLinkRecord, 'linkId' | 'runId' | 'createdBy' | 'createdAt' | 'expiresAt'> {
  isRevoked: boolean;
  isExpired: boolean;
  keyState: KeyState;
  role: Role;
  keyCountries: string[] | null;
  keyActionTypes: string[] | null;
  countries: string[];
  actionTypes: string[];
}

function linkOf(row: LinkRow): ReportLinkRecord {
  const { linkId, runId, createdBy, createdAt, expiresAt, role, keyState: state, countries, actionTypes } = row;
  const scope = { clients: null, countries: row.keyCountries, actionTypes: row.keyActionTypes };
  const link = { linkId, runId, createdBy, createdAt, expiresAt };
  if (row.isRevoked) return { ...link, state: 'revoked' };
  if (row.isExpired) return { ...link, state: 'expired' };
  return { ...link, state: mayShareRun({ state, role, scope }, { countries, actionTypes }) ? 'open' : 'key-ended' };
}

/**
 * Selects links with the current role and scope of their keys, so that a link needs no copy of them. Keys are never
 * deleted.
 */
const selectLinks = `
  select l.id as "linkId", l.run as "runId", l.created_by as "createdBy", l.created_at as "createdAt",
    l.expires_at as "expiresAt", l.revoked_at is not null as "isRevoked", l.expires_at <= now() as "isExpired",
    ${keyState} as "keyState", k.role, k.countries as "keyCountries", k.action_types as "keyActionTypes",
    ${reachOfRevision}
  from report_links l join api_keys k on k.id = l.created_by join runs x on x.id = l.run
    join revisions r on r.campaign = x.campaign and r.revision = x.revision`;

interface NewLink {
  linkId: string;
  digest: string;
  runId: string;
  createdBy: string;
  lifeSeconds: number;
}

const insertLink = statementOf<NewLink>(
  'insert-report-link',
  ($) => `
  insert into report_links (id, digest, run, created_by, expires_at)
  select ${$('linkId')}, ${$('digest')}, ${$('runId')}, ${$('createdBy')},
    least(now() + ${$('lifeSeconds')}::float8 * interval '1 second', k.expires_at)
  from api_keys k
  where k.id = ${$('createdBy')}::uuid and (
    select count(*) from report_links where run = ${$('runId')} and revoked_at is null and expires_at > now()
  ) < ${maxOpenLinks}
  returning id as "linkId", created_at as "createdAt", expires_at as "expiresAt"`,
);

const revokeLink = `
  with r as (
    update report_links set revoked_at = now() where run = $1 and id = $2 and revoked_at is null returning id
  )
  select exists (select from report_links where run = $1 and id = $2) as found`;

/** Deletes links a month after their end. Until then, they are listed as ended. */
const forgetOld = `delete from report_links where least(expires_at, revoked_at) < now() - interval '30 days'`;
