/** What is sent back; the body is JSON, unless a fault says otherwise. */
export interface HttpAnswer {
  status: number;
  headers?: Record<string, string>;
  body: string;
  /** Statuses of interim answers, which are sent before. */
  interim?: readonly InterimStatus[] | undefined;
  /** How it goes out; as a whole when absent. */
  delivery?: Delivery;
}

/** 100 Continue, 102 Processing, 103 Early Hints. */
export type InterimStatus = 100 | 102 | 103;

/**
 * - `none`: the connection is left open until the caller hangs up.
 * - `reset`: the connection is cut before a byte of the answer.
 * - `half`: it is cut in the middle of the body.
 * - `gzip`: as a whole, compressed.
 * - `drip`: the body comes byte by byte.
 * - `blanks`: a body of so many blanks in place of the answer's.
 */
export type Delivery =
  { kind: 'none' | 'reset' | 'half' | 'gzip' } | { kind: 'drip'; everyMs: number } | { kind: 'blanks'; bytes: number };
