import type { Pool } from 'pg';
import { statementOf, unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';
import type { AuditLog, AuditRecord } from '../audit-log.port.ts';
import { pageOf, requireIdCursor } from '../../frame/postgres/pages.ts';

export function createAuditLog({ pool }: { pool: Pool }): AuditLog {
  return {
    record: async ({ detail, ...entry }) => {
      await pool.query(insertEntry.with({ ...entry, detail: JSON.stringify(detail) }));
    },

    list: async ({ subject, apiKey, method, route, since, until }, limit, cursor) => {
      requireIdCursor(cursor);
      const { rows } = await pool.query<AuditRecord>(
        selectEntries.with({
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

type Entry = Omit<Parameters<AuditLog['record']>[0], 'detail'> & { detail: string };

const insertEntry = statementOf<Entry>(
  'record-audit',
  ($) => `
  insert into audit_log (api_key, method, route, subject, status, request_id, detail)
  values (${$('apiKey')}, ${$('method')}, ${$('route')}, ${$('subject')}, ${$('status')}, ${$('requestId')},
    ${$('detail')}::jsonb)`,
);

interface EntriesParams {
  subject: string | null;
  apiKey: string | null;
  method: string | null;
  route: string | null;
  since: Date | null;
  until: Date | null;
  /** Id of the last entry of the page before, or null. */
  cursor: string | null;
  limit: number;
}

const selectEntries = unnamedStatementOf<EntriesParams>(
  ($) => `
  select a.id as "auditId", a.at, a.api_key as "apiKey", k.name as "keyName", a.method, a.route, a.subject, a.status,
    a.request_id as "requestId", a.detail
  from audit_log a left join api_keys k on k.id = a.api_key
  where (${$('cursor')}::uuid is null or a.id < ${$('cursor')})
    and (${$('subject')}::text is null or a.subject = ${$('subject')})
    and (${$('apiKey')}::uuid is null or a.api_key = ${$('apiKey')})
    and (${$('method')}::text is null or a.method = ${$('method')})
    and (${$('route')}::text is null or a.route = ${$('route')})
    and (${$('since')}::timestamptz is null or a.at >= ${$('since')})
    and (${$('until')}::timestamptz is null or a.at < ${$('until')})
  order by a.id desc limit ${$('limit')}`,
);
