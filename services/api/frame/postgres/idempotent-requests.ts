import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';

export interface StoredAnswer {
  status: number;
  body: string;
}

/**
 * `new`: go on, then `complete`; what the request creates has to get the id `createdId` (uuid v7), which is the same
 * one for every request that is made anew under this key: a process that takes over from one that died finds what that
 * one created. `stored`: answer that. `other-body`, `in-progress`, `broken-off`: refuse.
 */
export type IdempotencyVerdict =
  | { kind: 'new'; createdId: string }
  | { kind: 'stored'; answer: StoredAnswer }
  | { kind: 'other-body' }
  | { kind: 'in-progress' }
  /** The first request has not been answered for a minute, and no other process may take over from it. */
  | { kind: 'broken-off' };

export type IdempotentRequests = ReturnType<typeof createIdempotentRequests>;

/** Answers by idempotency key, per API key, so that a repeated POST changes nothing and gets the same answer. */
export function createIdempotentRequests({ pool }: { pool: Pool }) {
  return {
    /** @param mayTakeOver false for a request whose handler would create a second thing if it were carried out again */
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

/** A request that has not been answered for a minute died with its process. */
const isBrokenOff = `k.status is null and k.created_at < now() - interval '60 s'`;

interface BeginParams {
  apiKey: string;
  key: string;
  bodyDigest: string;
  createdId: string;
  mayTakeOver: boolean;
}

/**
 * The insert decides between two requests at once. Until there is an answer, `body` holds the id of what the request
 * creates, and a process that takes over from one that died keeps to it.
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
  // Gone since the insert ran into it: it was abandoned at this very moment, and a repeat will begin it.
  if (!earlier) return { kind: 'in-progress' };
  if (earlier.body_digest !== bodyDigest) return { kind: 'other-body' };
  if (earlier.is_broken_off) return { kind: 'broken-off' };
  if (earlier.status === null || earlier.body === null) return { kind: 'in-progress' };
  return { kind: 'stored', answer: { status: earlier.status, body: earlier.body } };
}
