import type { BatchRequest, Refusal } from '../../../shared/contracts/endpoints/read-batch-request.ts';

/** Result of one user, in the form of the contract. */
export type UserAnswer =
  | { id: string; status: 'succeeded' }
  | { id: string; status: 'failed'; code: string; message?: string; retryable?: true };

/** Answer to a batch. `isAccepted` is set if the status is 202: succeeded then means accepted, and receipts follow. */
export type ActionAnswer =
  { ok: true; value: { results: UserAnswer[] }; isAccepted?: true } | { ok: false; refusal: Refusal };

/** An action of the connectors' file, of any form. */
export interface Action {
  /** Applies a call that was checked against the contract. */
  apply(request: BatchRequest): Promise<ActionAnswer>;
}

export function refuse(status: number, code: string, message: string, retryAfterSeconds?: number): ActionAnswer {
  return {
    ok: false,
    refusal: { status, code, message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
  };
}
