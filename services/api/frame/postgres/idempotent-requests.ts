import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { IdempotencyVerdict, IdempotentRequests } from '../idempotent-requests.port.ts';

export function createIdempotentRequests({ pool }: { pool: Pool }): IdempotentRequests {
  return {
    begin: async (apiKey, idempotencyKey, bodyDigest) => {
      const begun = await pool.query<{ created_id: string }>(beginRequest, [
        apiKey,
        idempotencyKey,
        bodyDigest,
        uuidv7(),
      ]);
      const [mine] = begun.rows;
      if (mine) return { kind: 'new', createdId: mine.created_id };
      const { rows } = await pool.query<EarlierRequest>(
        'select body_digest, status, body from idempotency_keys where api_key = $1 and key = $2',
        [apiKey, idempotencyKey],
      );
      return verdictOn(rows[0], bodyDigest);
    },

    // The first answer stays, also when a request that was taken for dead answers after all.
    complete: async (apiKey, idempotencyKey, { status, body }) => {
      await pool.query(
        'update idempotency_keys set status = $3, body = $4 where api_key = $1 and key = $2 and status is null',
        [apiKey, idempotencyKey, status, body],
      );
    },

    abandon: async (apiKey, idempotencyKey) => {
      await pool.query('delete from idempotency_keys where api_key = $1 and key = $2 and status is null', [
        apiKey,
        idempotencyKey,
      ]);
    },
  };
}

/**
 * The insert decides between two requests at once; a request that has not been answered for a minute died with its
 * process. Until there is an answer, `body` holds the id of what the request creates, and a process that takes over
 * keeps to it.
 */
const beginRequest = `
  insert into idempotency_keys as k (api_key, key, body_digest, body) values ($1, $2, $3, $4)
  on conflict (api_key, key) do update set created_at = now(), body = coalesce(k.body, excluded.body)
  where k.status is null and k.body_digest = excluded.body_digest and k.created_at < now() - interval '60 s'
  returning body as created_id`;

interface EarlierRequest {
  body_digest: string;
  status: number | null;
  body: string | null;
}

function verdictOn(earlier: EarlierRequest | undefined, bodyDigest: string): IdempotencyVerdict {
  // Gone since the insert ran into it: it was abandoned at this very moment, and a repeat will begin it.
  if (!earlier) return { kind: 'in-progress' };
  if (earlier.body_digest !== bodyDigest) return { kind: 'other-body' };
  if (earlier.status === null || earlier.body === null) return { kind: 'in-progress' };
  return { kind: 'stored', answer: { status: earlier.status, body: earlier.body } };
}
