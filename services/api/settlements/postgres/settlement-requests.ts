import type { Pool } from 'pg';
import type { SettlementCounts, SettlementMethod } from '../../../../shared/ports/settlements.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import type { RejectedLine } from '../../user-files/settlement-lines.ts';

const record = `
  id as "settlementId", run as "runId", method,
    case when api_key is not null then json_build_object('keyId', api_key, 'name', api_key_name) end as "apiKey",
  step, country, state, cause,
    json_build_object('succeeded', succeeded, 'failed', failed, 'leftUnknown', left_unknown, 'rejected', rejected) as counts,
  rejects, created_at as "createdAt", ended_at as "endedAt"`;

interface NewRequest {
  settlementId: string;
  runId: string;
  method: string;
  keyId: string | null;
  keyName: string | null;
  step: number | null;
  country: string | null;
}

/** Inserts a settlement. An existing settlement stays unchanged. */
const insert = statementOf<NewRequest>(
  'begin-settlement',
  ($) => `
  insert into settlement_requests (id, run, method, api_key, api_key_name, step, country)
  select ${$('settlementId')}, r.id, ${$('method')}, ${$('keyId')}, ${$('keyName')}, ${$('step')}, ${$('country')}
  from runs r where r.id = ${$('runId')} and r.ended_at is not null
  on conflict (id) do nothing`,
);

const select = `select ${record} from settlement_requests where run = $1`;

/**
 * Ends a settlement, and stores the rejected lines of its file. If a request was interrupted, a repeat of it completes
 * the settlement.
 */
const end = `
  update settlement_requests set state = $2, cause = $3, rejects = $4, ended_at = now()
    where id = $1 and state = 'running'`;

export interface NewSettlement {
  /** UUID v7. If a settlement with this id exists, no other is started. */
  settlementId: string;
  runId: string;
  method: SettlementMethod;
  /** API key of the request; null if the caller is unknown. */
  apiKey: { keyId: string; name: string } | null;
  /** Step to which a settlement by the status endpoint is limited; null for all steps. */
  step: number | null;
  country: string | null;
}

export interface SettlementRecord extends NewSettlement {
  /**
   * State of the settlement.
   * - `running`: some lines or users were not processed yet.
   * - `failed`: the settlement stopped; users who were settled before stay settled.
   */
  state: 'running' | 'done' | 'failed';
  cause: string | null;
  counts: SettlementCounts;
  /** First thousand rejected lines. */
  rejects: readonly RejectedLine[];
  createdAt: Date;
  endedAt: Date | null;
}

export type SettlementRequests = ReturnType<typeof createSettlementRequests>;

export function createSettlementRequests({ pool }: { pool: Pool }) {
  async function get(runId: string, settlementId: string): Promise<SettlementRecord | undefined> {
    return (await pool.query<SettlementRecord>(`${select} and id = $2`, [runId, settlementId])).rows[0];
  }

  return {
    /**
     * Starts a settlement. Returns undefined if the run does not exist or has not ended. After the end of a run, no
     * worker writes outcomes of its users.
     */
    begin: async ({ settlementId, runId, method, apiKey, step, country }: NewSettlement) => {
      const key = { keyId: apiKey?.keyId ?? null, keyName: apiKey?.name ?? null };
      await pool.query(insert.with({ settlementId, runId, method, ...key, step, country }));
      return await get(runId, settlementId);
    },
    /** Ends a settlement by hand or by file after all its lines were read. */
    end: async (
      settlementId: string,
      { state, cause, rejects }: Pick<SettlementRecord, 'cause' | 'rejects'> & { state: 'done' | 'failed' },
    ) => {
      await pool.query(end, [settlementId, state, cause, JSON.stringify(rejects)]);
    },
    get,
    list: async (runId: string, limit: number) => {
      return (await pool.query<SettlementRecord>(`${select} order by id desc limit $2`, [runId, limit])).rows;
    },
  };
}
