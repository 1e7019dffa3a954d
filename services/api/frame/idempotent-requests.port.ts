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

/** Answers by idempotency key, per API key, so that a repeated POST changes nothing and gets the same answer. */
export interface IdempotentRequests {
  begin(apiKey: string, idempotencyKey: string, bodyDigest: string): Promise<IdempotencyVerdict>;
  complete(apiKey: string, idempotencyKey: string, answer: StoredAnswer): Promise<void>;
  /** Forgets a request that failed without effect, so that it can be made again. */
  abandon(apiKey: string, idempotencyKey: string): Promise<void>;
}
