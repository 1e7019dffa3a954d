/** Response of the sandbox; the body is JSON unless a fault changes it. */
export interface HttpAnswer {
  status: number;
  headers?: Record<string, string>;
  body: string;
  /** Statuses of interim answers, sent before this one. */
  interim?: readonly InterimStatus[] | undefined;
  /** Faulty way to send the response. If absent, the response is sent as a whole. */
  delivery?: Delivery;
}

/** 100 Continue, 102 Processing, 103 Early Hints. */
export type InterimStatus = 100 | 102 | 103;

/**
 * Faulty way to send a response.
 * - `none`: the connection stays open, without a response, until the caller disconnects.
 * - `reset`: the connection is cut before the first byte of the response.
 * - `half`: the connection is cut in the middle of the body.
 * - `blanks`: the body is replaced by `bytes` spaces.
 */
export type Delivery =
  { kind: 'none' | 'reset' | 'half' | 'gzip' } | { kind: 'drip'; everyMs: number } | { kind: 'blanks'; bytes: number };
