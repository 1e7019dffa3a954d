import { hash, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { onlyRow } from '../../../../../shared/postgres/connection/rows.ts';

export interface ReportLinkRecord {
  linkId: string;
  runId: string;
  madeBy: string;
  createdAt: Date;
  expiresAt: Date;
  /** By the database's clock. */
  state: 'open' | 'expired' | 'revoked';
}

/** Of a run, those that are open. */
const maxOpenLinks = 100;
const tokenBytes = 24;
const tokenPattern = /^[A-Za-z0-9_-]{32}$/;

export type ReportLinks = ReturnType<typeof createReportLinks>;

export function createReportLinks({ pool }: { pool: Pool }) {
  return {
    /** Undefined where the run has as many as it may have. The token is nowhere but here. */
    make: async (runId: string, madeBy: string, lifeSeconds: number) => {
      const token = randomBytes(tokenBytes).toString('base64url');
      await pool.query(forgetOld);
      const { rows } = await pool.query<ReportLinkRecord>(
        insertLink.with({ linkId: uuidv7(), digest: digestOf(token), runId, madeBy, lifeSeconds }),
      );
      return rows[0] && { token, link: rows[0] };
    },

    /** The newest first. */
    list: async (runId: string): Promise<ReportLinkRecord[]> =>
      (await pool.query<ReportLinkRecord>(`${selectLinks} where run = $1 order by id desc limit 1000`, [runId])).rows,

    /** False where the run has no such link. One that was revoked stays so. */
    revoke: async (runId: string, linkId: string): Promise<boolean> => {
      const { rows } = await pool.query<{ found: boolean }>(revokeLink, [runId, linkId]);
      return onlyRow(rows).found;
    },

    /** Undefined for what opens nothing, or nothing any more. */
    open: async (token: string): Promise<{ runId: string; expiresAt: Date } | undefined> => {
      if (!tokenPattern.test(token)) return undefined;
      const { rows } = await pool.query<{ runId: string; expiresAt: Date }>(openLink, [digestOf(token)]);
      return rows[0];
    },
  };
}

function digestOf(token: string): string {
  return hash('sha256', token, 'hex');
}

const columns = `id as "linkId", run as "runId", made_by as "madeBy", created_at as "createdAt",
  expires_at as "expiresAt", case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired'
    else 'open' end as state`;

const selectLinks = `select ${columns} from report_links`;

interface NewLink {
  linkId: string;
  digest: string;
  runId: string;
  madeBy: string;
  lifeSeconds: number;
}

const insertLink = statementOf<NewLink>(
  'insert-report-link',
  ($) => `
  insert into report_links (id, digest, run, made_by, expires_at)
  select ${$('linkId')}, ${$('digest')}, ${$('runId')}, ${$('madeBy')},
    now() + ${$('lifeSeconds')}::float8 * interval '1 second'
  where (
    select count(*) from report_links where run = ${$('runId')} and revoked_at is null and expires_at > now()
  ) < ${maxOpenLinks}
  returning ${columns}`,
);

const revokeLink = `
  with r as (
    update report_links set revoked_at = now() where run = $1 and id = $2 and revoked_at is null returning id
  )
  select exists (select from report_links where run = $1 and id = $2) as found`;

const openLink = `
  select run as "runId", expires_at as "expiresAt" from report_links
  where digest = $1 and revoked_at is null and expires_at > now()`;

/** They stay listed for a month. */
const forgetOld = `delete from report_links where least(expires_at, revoked_at) < now() - interval '30 days'`;
