import type { Pool } from 'pg';
import type { RejectedLine, SettlementRecord, SettlementRequests } from '../settlement-requests.port.ts';

const record = `
  id as "settlementId", run as "runId", method, case when api_key is not null then json_build_object('keyId', api_key, 'name', api_key_name) end as "apiKey",
  step, country, state, cause, json_build_object('succeeded', succeeded, 'failed', failed, 'leftUnknown', left_unknown, 'rejected', rejected) as counts,
  rejects, created_at as "createdAt", ended_at as "endedAt"`;

/** $1 id, $2 run, $3 method, $4 key, $5 its name, $6 step, $7 country. One that exists stays as it is. */
const insert = `
  insert into settlement_requests (id, run, method, api_key, api_key_name, step, country)
  select $1, r.id, $3, $4, $5, $6, $7 from runs r where r.id = $2 and r.ended_at is not null
  on conflict (id) do nothing`;

const select = `select ${record} from settlement_requests where run = $1`;

/** A file's rejects go with what it settled: a repeat of a request that was cut off ends what that one began. */
const end = `
  update settlement_requests set state = $2, cause = $3, rejects = $4, ended_at = now() where id = $1 and state = 'running'`;

export function createSettlementRequests({ pool }: { pool: Pool }): SettlementRequests {
  async function get(runId: string, settlementId: string): Promise<SettlementRecord | undefined> {
    return (await pool.query<SettlementRecord>(`${select} and id = $2`, [runId, settlementId])).rows[0];
  }

  return {
    begin: async ({ settlementId, runId, method, apiKey, step, country }) => {
      const key = [apiKey?.keyId ?? null, apiKey?.name ?? null];
      await pool.query(insert, [settlementId, runId, method, ...key, step, country]);
      return await get(runId, settlementId);
    },
    end: async (settlementId, { state, cause, rejects }) => {
      await pool.query(end, [settlementId, state, cause, JSON.stringify(rejects satisfies readonly RejectedLine[])]);
    },
    get,
    list: async (runId, limit) => {
      return (await pool.query<SettlementRecord>(`${select} order by id desc limit $2`, [runId, limit])).rows;
    },
  };
}
