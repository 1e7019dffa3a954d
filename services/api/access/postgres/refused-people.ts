import type { Pool } from 'pg';
import type { RefusedPerson } from '../callers/caller-counter.ts';
import { isGoodKey } from '../credentials/postgres/key-rows.ts';

/** Person with a valid token of the issuer who was refused in the last thirty days. */
export interface RefusedPersonRecord extends RefusedPerson {
  /** Number of refusals since the person last had access. */
  count: number;
  firstAt: Date;
  lastAt: Date;
  lastFrom: string | null;
  /** Id of the person's row among the keys; null if the person never had access. */
  key: string | null;
  /** True if the person got access after the last refusal, through a token or through an operator. */
  isInAgain: boolean;
  /** True if the person is shut out and not revoked, so that an operator may let the person in again. */
  mayBeLetIn: boolean;
}

export type RefusedPeopleReader = ReturnType<typeof createRefusedPeople>;

/** Creates the reader of refused people, the latest refusal first. At most about a thousand are stored. */
export function createRefusedPeople({ pool }: { pool: Pool }) {
  return async (limit: number): Promise<RefusedPersonRecord[]> => {
    const { rows } = await pool.query<RefusedPersonRecord>(selectPeople, [limit]);
    return rows;
  };
}

const selectPeople = `
  select p.issuer, p.subject, coalesce(p.name, k.name) as name, p.code, p.detail, p.count::float8 as count,
    p.first_at as "firstAt", p.last_at as "lastAt", p.last_from as "lastFrom", k.id as key,
    coalesce(k.last_used_at > p.last_at or (p.code = 'shut-out' and (${isGoodKey})), false) as "isInAgain",
    coalesce(k.revoked_at is null and not (${isGoodKey}), false) as "mayBeLetIn"
  from refused_people p left join api_keys k on k.issuer = p.issuer and k.subject = p.subject
  where p.last_at > now() - interval '30 days'
  order by p.last_at desc, p.issuer collate "C", p.subject collate "C" limit $1`;
