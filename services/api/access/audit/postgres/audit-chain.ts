import type { Pool } from 'pg';
import { onlyRow } from '../../../../../shared/postgres/connection/rows.ts';
import { unnamedStatementOf } from '../../../../../shared/postgres/connection/statement.ts';
import type { ChainLink, ChainPart, ChainPlace } from '../audit-chain.port.ts';

export type AuditChain = ReturnType<typeof createAuditChain>;

export function createAuditChain({ pool }: { pool: Pool }) {
  return {
    /**
     * Returns the entries after the entry with this number, in one snapshot.
     * @param after undefined to begin with the first entry
     */
    part: async (after: number | undefined, limit: number): Promise<ChainPart> => {
      const { rows } = await pool.query<PartRow>(selectPart.with({ after: after ?? null, limit }));
      const { cut, head, hasBeforeCut, previous, links } = onlyRow(rows);
      return { cut, head, hasBeforeCut, previous, links: links ?? [] };
    },
  };
}

interface PartRow {
  cut: ChainPlace;
  head: ChainPlace;
  hasBeforeCut: boolean;
  previous: ChainPlace | null;
  links: ChainLink[] | null;
}

/**
 * Builds the hashed text of entries in the same way as the database function `append_audit`. That function is not
 * called, because an attacker may have replaced it.
 */
const selectPart = unnamedStatementOf<{ after: number | null; limit: number }>(
  ($) => `
  select json_build_object('number', h.last_deleted_number, 'hash', encode(h.last_deleted_hash, 'hex')) as cut,
    json_build_object('number', h.number, 'hash', encode(h.hash, 'hex')) as head,
    exists (select from audit_log where number <= h.last_deleted_number) as "hasBeforeCut",
    (select json_build_object('number', p.number, 'hash', encode(p.hash, 'hex')) from audit_log p
      where p.number = ${$('after')}::bigint) as previous,
    (select json_agg(json_build_object('number', l.number, 'hash', encode(l.hash, 'hex'), 'text', l.text)
        order by l.number) from (
      select a.number, a.hash, json_build_array(a.number, a.id, (extract(epoch from a.at) * 1000000)::bigint, a.api_key,
        a.method, a.route, a.subject, a.status, a.request_id, a.detail::text)::text as text
      from audit_log a where a.number > coalesce(${$('after')}::bigint, h.last_deleted_number) order by a.number
      limit ${$('limit')}) l) as links
  from audit_head h`,
);
