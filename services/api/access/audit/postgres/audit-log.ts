import type { Pool } from 'pg';
import { onlyRow } from '../../../../../shared/postgres/connection/rows.ts';
import { statementOf, unnamedStatementOf } from '../../../../../shared/postgres/connection/statement.ts';
import type { ChainPlace } from '../audit-chain.port.ts';
import type { Page } from '../../../frame/page.port.ts';
import { pageOf, requireIdCursor } from '../../../frame/postgres/pages.ts';

/** Details of a change for readers of the log. They never contain a secret or a complete body. */
export type AuditDetail = Readonly<Record<string, unknown>>;

export interface AuditEntry {
  apiKey: string | null;
  method: string;
  /** Route as it is registered, such as `/v1/runs/:id/pause`. */
  route: string;
  /** Public id of the changed object, or its name; null if it has neither. */
  subject: string | null;
  status: number;
  requestId: string;
  detail: AuditDetail;
}

export interface AuditRecord extends AuditEntry, ChainPlace {
  auditId: string;
  at: Date;
  /** Name of the key; null if the key does not exist any more. */
  keyName: string | null;
}

export interface AuditFilter {
  number?: number | undefined;
  subject?: string | undefined;
  apiKey?: string | undefined;
  method?: string | undefined;
  route?: string | undefined;
  /** Time of the earliest entry, inclusive. */
  since?: Date | undefined;
  /** Time after the latest entry, exclusive. */
  until?: Date | undefined;
}

export type AuditLog = ReturnType<typeof createAuditLog>;

/** Creates the append-only log of changes through the API (docs/decisions/0016-run-history-and-audit-log.md). */
export function createAuditLog({ pool }: { pool: Pool }) {
  return {
    record: async ({ detail, ...entry }: AuditEntry): Promise<ChainPlace> => {
      const { rows } = await pool.query<ChainPlace>(insertEntry.with({ ...entry, detail: JSON.stringify(detail) }));
      return onlyRow(rows);
    },

    /**
     * Returns entries, newest first.
     * @param cursor id of the last entry of the previous page
     * @throws {InvalidCursorError}
     */
    list: async (
      { number, subject, apiKey, method, route, since, until }: AuditFilter,
      limit: number,
      cursor: string | null,
    ): Promise<Page<AuditRecord>> => {
      requireIdCursor(cursor);
      const { rows } = await pool.query<AuditRecord>(
        selectEntries.with({
          number: number ?? null,
          subject: subject ?? null,
          apiKey: apiKey ?? null,
          method: method ?? null,
          route: route ?? null,
          since: since ?? null,
          until: until ?? null,
          cursor,
          limit: limit + 1,
        }),
      );
      return pageOf(rows, limit, (record) => record.auditId);
    },
  };
}

type Entry = Omit<AuditEntry, 'detail'> & { detail: string };

const insertEntry = statementOf<Entry>(
  'record-audit',
  ($) => `
  select number::float8 as number, encode(hash, 'hex') as hash
  from append_audit(${$('apiKey')}, ${$('method')}, ${$('route')}, ${$('subject')}, ${$('status')}, ${$('requestId')},
    ${$('detail')}::jsonb)`,
);

interface EntriesParams {
  number: number | null;
  subject: string | null;
  apiKey: string | null;
  method: string | null;
  route: string | null;
  since: Date | null;
  until: Date | null;
  cursor: string | null;
  limit: number;
}

const selectEntries = unnamedStatementOf<EntriesParams>(
  ($) => `
  select a.id as "auditId", a.number::float8 as number, encode(a.hash, 'hex') as hash, a.at,
    a.api_key as "apiKey", k.name as "keyName", a.method, a.route, a.subject, a.status, a.request_id as "requestId",
    a.detail
  from audit_log a left join api_keys k on k.id = a.api_key
  where (${$('cursor')}::uuid is null or a.id < ${$('cursor')})
    and (${$('number')}::bigint is null or a.number = ${$('number')})
    and (${$('subject')}::text is null or a.subject = ${$('subject')})
    and (${$('apiKey')}::uuid is null or a.api_key = ${$('apiKey')})
    and (${$('method')}::text is null or a.method = ${$('method')})
    and (${$('route')}::text is null or a.route = ${$('route')})
    and (${$('since')}::timestamptz is null or a.at >= ${$('since')})
    and (${$('until')}::timestamptz is null or a.at < ${$('until')})
  order by a.id desc limit ${$('limit')}`,
);
