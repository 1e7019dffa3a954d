import type { UserAnswer } from '../actions/action.port.ts';

export interface MailCall {
  action: string;
  /** Value of the call's `Idempotency-Key`. */
  key: string;
  /** SHA-256 of the body. */
  digest: string;
}

/** State of a call's key. `other`: the key was used with another body. */
export type KnownCall = { kind: 'new' } | { kind: 'other' } | { kind: 'answered'; results: UserAnswer[] };

/** First answers of calls by their key: contract class B requires that a repeated call receives the same answer. */
export interface CallBook {
  begin(call: MailCall, keepSeconds: number): Promise<KnownCall>;
  finish(call: MailCall, results: readonly UserAnswer[]): Promise<void>;
  /** Deletes answers whose retention has ended. */
  sweep(): Promise<void>;
}
