/** One request to an API, with all variables replaced. */
export interface ApiRequest {
  method: string;
  /** Path and query. */
  path: string;
  /** Header names and values, alternating. */
  headers: string[];
  body: Buffer | undefined;
}

export interface AnsweredRequest {
  kind: 'answered';
  status: number;
  /** Value of `Retry-After` in milliseconds; null if the answer has none. */
  retryAfterMs: number | null;
  body: Buffer;
}

/**
 * Answer of the API. `not-applied`: the request was not sent. `ambiguous`: the request was sent, but there is no
 * complete answer.
 */
export type ApiAnswer = AnsweredRequest | { kind: 'not-applied' | 'ambiguous'; cause: string };

/** The API that an action calls. */
export interface Api {
  /** Sends a request. Never rejects. */
  send(request: ApiRequest): Promise<ApiAnswer>;
}
