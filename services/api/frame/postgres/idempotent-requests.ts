import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';

export interface StoredAnswer {
  status: number;
  body: string;
}

/**
 * `new`: go on, then `complete`; what the request creates has to get the id `createdId` (uuid v7), which is the same
 * one for every request that is made anew under this key: a process that takes over from one that died finds what that
 * one created. `stored`: answer that. `other-body`, `in-progress`: refuse.
 */
export type IdempotencyVerdict =
  | { kind: 'new'; createdId: string }
  | { kind: 'stored'; answer: StoredAnswer }
  | { kind: 'other-body' }
  | { kind: 'in-progress' };

export type IdempotentRequests = ReturnType<typeof createIdempotentRequests>;

/** Answers by idempotency key, per API key, so that a repeated POST changes nothing and gets the same answer. */
export function createIdempotentRequests({ pool }: { pool: Pool }) {
  return {
    begin: async (apiKey: string, idempotencyKey: string, bodyDigest: string): Promise<IdempotencyVerdict> => {
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
    complete: async (apiKey: string, idempotencyKey: string, { status, body }: StoredAnswer): Promise<void> => {
      await pool.query(
        'update idempotency_keys set status = $3, body = $4 where api_key = $1 and key = $2 and status is null',
        [apiKey, idempotencyKey, status, body],
      );
    },

    /** Forgets a request that failed without effect, so that it can be made again. */
    abandon: async (apiKey: string, idempotencyKey: string): Promise<void> => {
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
