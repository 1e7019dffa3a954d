import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';

export interface StoredAnswer {
  status: number;
  body: string;
}

/**
 * Decision on a request with an idempotency key.
 * - `new`: carry it out, then call `complete`. The created object has to get the id `createdId` (UUID v7). Each attempt
 *   under this key receives the same id, so a process that takes over after a crash finds the object.
 * - `stored`: send this response again.
 * - `other-body`, `in-progress`, `broken-off`: refuse the request.
 */
export type IdempotencyVerdict =
  | { kind: 'new'; createdId: string }
  | { kind: 'stored'; answer: StoredAnswer }
  | { kind: 'other-body' }
  | { kind: 'in-progress' }
  /** The first request has had no response for a minute, and no other process may take over. */
  | { kind: 'broken-off' };

export type IdempotentRequests = ReturnType<typeof createIdempotentRequests>;

/** Creates the store of responses by API key and idempotency key, for repeated POSTs. */
export function createIdempotentRequests({ pool }: { pool: Pool }) {
  return {
    /** @param mayTakeOver false for a request whose handler would create a second object on another attempt */
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

    // The first response is kept, even if a request that was considered dead completes later.
    complete: async (apiKey: string, idempotencyKey: string, { status, body }: StoredAnswer): Promise<void> => {
      await pool.query(
        'update idempotency_keys set status = $3, body = $4 where api_key = $1 and key = $2 and status is null',
        [apiKey, idempotencyKey, status, body],
      );
    },

    /** Deletes a request that failed without an effect, so that it can be repeated. */
    abandon: async (apiKey: string, idempotencyKey: string): Promise<void> => {
      await pool.query('delete from idempotency_keys where api_key = $1 and key = $2 and status is null', [
        apiKey,
        idempotencyKey,
      ]);
    },
  };
}

/** SQL condition: a request without a response for a minute is considered to have died with its process. */
const isBrokenOff = `k.status is null and k.created_at < now() - interval '60 s'`;

interface BeginParams {
  apiKey: string;
  key: string;
  bodyDigest: string;
  createdId: string;
  mayTakeOver: boolean;
}

/**
 * Inserts the key of a request. Of concurrent requests, only one inserts it. Until the response is stored, `body` holds
 * the id for the created object.
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
  // Another process abandoned the request after the insert found it; a repeat will begin it again.
  if (!earlier) return { kind: 'in-progress' };
  if (earlier.body_digest !== bodyDigest) return { kind: 'other-body' };
  if (earlier.is_broken_off) return { kind: 'broken-off' };
  if (earlier.status === null || earlier.body === null) return { kind: 'in-progress' };
  return { kind: 'stored', answer: { status: earlier.status, body: earlier.body } };
}
