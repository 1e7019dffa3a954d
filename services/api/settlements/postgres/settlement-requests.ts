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

/** An existing request stays unchanged. */
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
 * Ends a settlement, and stores the rejects of its file. If a request was interrupted, a repeat of the request
 * completes the settlement.
 */
const end = `
  update settlement_requests set state = $2, cause = $3, rejects = $4, ended_at = now()
    where id = $1 and state = 'running'`;

export interface NewSettlement {
  /** Uuid v7. An existing settlement is not started again. */
  settlementId: string;
  runId: string;
  method: SettlementMethod;
  /** Key of the request; null if the caller is unknown. */
  apiKey: { keyId: string; name: string } | null;
  /** Filter of a settlement by status; null for all. */
  step: number | null;
  country: string | null;
}

export interface SettlementRecord extends NewSettlement {
  /**
   * `running`: some lines are not read yet, or some users are not requested yet. `failed`: the settlement stopped;
   * users settled so far stay settled.
   */
  state: 'running' | 'done' | 'failed';
  cause: string | null;
  counts: SettlementCounts;
  /** The first thousand rejects. */
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
     * Starts a settlement. Undefined if the run has not ended or does not exist. After the end of the run, no worker
     * settles its users.
     */
    begin: async ({ settlementId, runId, method, apiKey, step, country }: NewSettlement) => {
      const key = { keyId: apiKey?.keyId ?? null, keyName: apiKey?.name ?? null };
      await pool.query(insert.with({ settlementId, runId, method, ...key, step, country }));
      return await get(runId, settlementId);
    },
    /** Ends a settlement by hand or by file, after all lines were read. */
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
