import type { Pool } from 'pg';
import type { AuditLog, AuditRecord } from '../audit-log.port.ts';
import { pageOf, requireIdCursor } from '../../frame/postgres/pages.ts';

export function createAuditLog({ pool }: { pool: Pool }): AuditLog {
  return {
    record: async ({ apiKey, method, route, subject, status, requestId, detail }) => {
      const values = [apiKey, method, route, subject, status, requestId, JSON.stringify(detail)];
      await pool.query({ name: 'record-audit', text: insertEntry, values });
    },

    list: async ({ subject, apiKey, method, route, since, until }, limit, cursor) => {
      requireIdCursor(cursor);
      const filter = [subject ?? null, apiKey ?? null, method ?? null, route ?? null, since ?? null, until ?? null];
      const { rows } = await pool.query<AuditRecord>(selectEntries, [limit + 1, cursor, ...filter]);
      return pageOf(rows, limit, (record) => record.auditId);
    },
  };
}

const insertEntry = `
  insert into audit_log (api_key, method, route, subject, status, request_id, detail) values ($1, $2, $3, $4, $5, $6, $7::jsonb)`;

/** $1 limit, $2 id of the last entry of the page before or null, filters or null $3 to $8. */
const selectEntries = `
  select a.id as "auditId", a.at, a.api_key as "apiKey", k.name as "keyName", a.method, a.route, a.subject, a.status,
    a.request_id as "requestId", a.detail
  from audit_log a left join api_keys k on k.id = a.api_key
  where ($2::uuid is null or a.id < $2) and ($3::text is null or a.subject = $3) and ($4::uuid is null or a.api_key = $4)
    and ($5::text is null or a.method = $5) and ($6::text is null or a.route = $6)
    and ($7::timestamptz is null or a.at >= $7) and ($8::timestamptz is null or a.at < $8)
  order by a.id desc limit $1`;
