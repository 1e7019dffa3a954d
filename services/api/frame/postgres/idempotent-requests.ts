import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';

export interface StoredAnswer {
  status: number;
  body: string;
}

/**
 * Decision about a request with an idempotency key.
 * - `new`: carry it out, then call `complete`. The created object must have the id `createdId` (UUID v7). Each attempt
 *   with this key receives the same id, so a process that continues the request after a crash finds the object.
 * - `stored`: send this response again.
 * - `other-body`, `in-progress`, `broken-off`: refuse the request.
 */
export type IdempotencyVerdict =
  | { kind: 'new'; createdId: string }
  | { kind: 'stored'; answer: StoredAnswer }
  | { kind: 'other-body' }
  | { kind: 'in-progress' }
  /** `broken-off`: the first request has had no response for a minute, and no other process may continue it. */
  | { kind: 'broken-off' };

export type IdempotentRequests = ReturnType<typeof createIdempotentRequests>;

/** Creates the store of responses to POST requests, by API key and idempotency key, for repeated requests. */
export function createIdempotentRequests({ pool }: { pool: Pool }) {
  return {
    /**
     * Begins a request.
     * @param mayTakeOver false if another attempt of the handler would create a second object
     */
    begin: async (
      apiKey: string,
      idempotencyKey: string,
      bodyDigest: string,
      mayTakeOver = true,
    ): Promise<IdempotencyVerdict> => {
      const begun = await pool.query<{ created_id: string }>(
        beginRequest.with({ apiKey, key: idempotencyKey, bodyDigest, createdId: uuidv7(), mayTakeOver }),
      );
      const [mine] = begun.rows;
      if (mine) return { kind: 'new', createdId: mine.created_id };
      const { rows } = await pool.query<EarlierRequest>(
        `select body_digest, status, body, ${isBrokenOff} as is_broken_off
         from idempotency_keys k where api_key = $1 and key = $2`,
        [apiKey, idempotencyKey],
      );
      return verdictOn(rows[0], bodyDigest);
    },

    // Stores the response. The first response is kept if a request that was considered interrupted completes later.
    complete: async (apiKey: string, idempotencyKey: string, { status, body }: StoredAnswer): Promise<void> => {
      await pool.query(
        'update idempotency_keys set status = $3, body = $4 where api_key = $1 and key = $2 and status is null',
        [apiKey, idempotencyKey, status, body],
      );
    },

    /** Deletes a request that failed without an effect, so that the same key can be used again. */
    abandon: async (apiKey: string, idempotencyKey: string): Promise<void> => {
      await pool.query('delete from idempotency_keys where api_key = $1 and key = $2 and status is null', [
        apiKey,
        idempotencyKey,
      ]);
    },
  };
}

/** SQL condition: the request has had no response for a minute, so its process is considered to have died. */
const isBrokenOff = `k.status is null and k.created_at < now() - interval '60 s'`;

interface BeginParams {
  apiKey: string;
  key: string;
  bodyDigest: string;
  createdId: string;
  mayTakeOver: boolean;
}

/**
 * Inserts the key of a request. Of several concurrent requests, only one can insert it. Until the response is stored,
 * `body` contains the id for the created object.
 */
const beginRequest = statementOf<BeginParams>(
  'begin-idempotent-request',
  ($) => `
  insert into idempotency_keys as k (api_key, key, body_digest, body)
  values (${$('apiKey')}, ${$('key')}, ${$('bodyDigest')}, ${$('createdId')})
  on conflict (api_key, key) do update set created_at = now(), body = coalesce(k.body, excluded.body)
  where k.body_digest = excluded.body_digest and ${isBrokenOff} and ${$('mayTakeOver')}::boolean
  returning body as created_id`,
);

interface EarlierRequest {
  body_digest: string;
  status: number | null;
  body: string | null;
  is_broken_off: boolean;
}

function verdictOn(earlier: EarlierRequest | undefined, bodyDigest: string): IdempotencyVerdict {
  // Another process has deleted the abandoned request since the insert found it. The caller's next attempt will begin
  // it again.
  if (!earlier) return { kind: 'in-progress' };
  if (earlier.body_digest !== bodyDigest) return { kind: 'other-body' };
  if (earlier.is_broken_off) return { kind: 'broken-off' };
  if (earlier.status === null || earlier.body === null) return { kind: 'in-progress' };
  return { kind: 'stored', answer: { status: earlier.status, body: earlier.body } };
}
