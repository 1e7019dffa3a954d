import { buildConnector, type Dispatcher } from 'undici';
import { createCallDeadlines } from './call-deadlines.ts';
import { causeOf, isLostConnection } from './http-cause.ts';
import { KeptConnection } from './kept-connection.ts';

/**
 * Outcome of one HTTP call. Causes are shown to people: plain words, without an address.
 * - `answered`: the whole answer arrived, whatever its status.
 * - `not-applied`: the request never started on a connection (refused, look-up or TLS failed), so it cannot have had an
 * effect.
 * - `ambiguous`: the request was sent, at least in part, and no whole answer arrived within time and size.
 *
 * `timedOut`: the call exceeded its deadline.
 */
export type HttpOutcome =
  | { kind: 'answered'; status: number; retryAfter: string | null; contentEncoding: string | undefined; body: Buffer }
  | { kind: 'not-applied'; cause: string; timedOut?: true }
  | { kind: 'ambiguous'; cause: string; timedOut?: true };

export interface HttpCall {
  method: string;
  path: string;
  /** Names and values, alternating. */
  headers: string[];
  body?: Buffer;
  /** Replaces the time-out of the origin. */
  timeoutMs?: number;
  /** Time by `performance.now()` after which the call is not sent again; by default its deadline. */
  repeatUntilMs?: number;
}

export interface HttpOrigin {
  /**
   * Sends the call and follows no redirect. Never rejects.
   *
   * Sends once more, on a fresh connection, if a connection that had carried an answer ended without a byte of an
   * answer to this call: a server may close an idle connection while the call is written. This requires a repeatable
   * origin, and does not change the deadline. The caller receives the outcome of one call.
   */
  send(call: HttpCall): Promise<HttpOutcome>;
  close(): Promise<void>;
}

export interface HttpOriginOptions {
  /** Scheme, host and port. */
  origin: string;
  connections: number;
  /** Milliseconds from the call to the end of its answer, however slowly the answer arrives. */
  timeoutMs: number;
  maxAnswerBytes: number;
  /** True to cut a longer answer after `maxAnswerBytes`: the rest is discarded. */
  cutsAnswers?: boolean;
  /** Opens the connections, in place of undici. */
  connect?: buildConnector.connector;
  /** False if a call that may have been received must not be sent again; true by default. */
  isRepeatable?: boolean;
  /** Notifies of each call that is sent once more. */
  onSentAgain?: (() => void) | undefined;
}

type Connection = KeptConnection<AnswerCollector>;

/**
 * Creates an origin that calls by undici's `dispatch`. This costs half as much as `request`, which creates a stream for
 * an answer that is needed whole. Each connection is a client of its own, and the last used one is taken first.
 * undici's pool searches its clients for every call, and queues the call that follows an answer until a later turn of
 * the event loop.
 *
 * Running calls are found by their connection. A set of all calls would keep tables that it has outgrown alive, and
 * with them their last calls. The garbage collector would then copy all that a call refers to into the old generation.
 */
export function createHttpOrigin(settings: HttpOriginOptions): HttpOrigin {
  const { origin, connections, maxAnswerBytes, cutsAnswers = false, isRepeatable = true, onSentAgain } = settings;
  const { timeoutMs } = settings;
  const connect = settings.connect ?? buildConnector({ timeout: Math.min(timeoutMs, 10_000), allowH2: false });
  const open: Connection[] = [];
  const idle: Connection[] = [];
  let waiting: AnswerCollector[] = [];
  let closed = false;
  const deadlines = createCallDeadlines(() => {
    waiting = waiting.filter(({ settled }) => !settled);
    return [...open.flatMap(({ call }) => call ?? []), ...waiting];
  });

  function openOne(): Connection | undefined {
    if (open.length >= connections) return undefined;
    const connection: Connection = new KeptConnection({ origin, connect, isRepeatable });
    open.push(connection);
    return connection;
  }

  function dispatch(connection: Connection, collector: AnswerCollector): void {
    const { method, path, headers, body } = collector.call;
    connection.begin(collector);
    collector.connection = connection;
    try {
      connection.client.dispatch({ method, path, headers, body: body ?? null }, collector);
    } catch (error) {
      collector.onResponseError(undefined, error instanceof Error ? error : new Error(String(error)));
    }
  }

  function free(connection: Connection): void {
    connection.end();
    let next = waiting.shift();
    while (next?.settled) next = waiting.shift();
    if (next) dispatch(connection, next);
    else idle.push(connection);
  }

  const mayRepeat = (connection: Connection) => isRepeatable && !closed && connection.endedUnanswered();
  const terms = { timeoutMs, maxAnswerBytes, cutsAnswers, free, mayRepeat, dispatch, onSentAgain };
  return {
    send: (call) =>
      new Promise((resolve) => {
        const collector = new AnswerCollector(call, terms, resolve);
        if (closed) {
          collector.onResponseError(undefined, new Error('closed'));
          return;
        }
        deadlines.watch();
        const connection = idle.pop() ?? openOne();
        if (connection) dispatch(connection, collector);
        else waiting.push(collector);
      }),
    close: async () => {
      closed = true;
      deadlines.stop();
      for (const collector of waiting.splice(0)) collector.onResponseError(undefined, new Error('closed'));
      await Promise.all(open.map(({ client }) => client.destroy()));
    },
  };
}

interface CollectorTerms {
  timeoutMs: number;
  maxAnswerBytes: number;
  cutsAnswers: boolean;
  free: (connection: Connection) => void;
  mayRepeat: (connection: Connection) => boolean;
  dispatch: (connection: Connection, collector: AnswerCollector) => void;
  onSentAgain: (() => void) | undefined;
}

/** Collector of one answer. It is a class so that its methods are created once and not for every call. */
class AnswerCollector implements Dispatcher.DispatchHandler {
  readonly call: HttpCall;
  readonly deadline: number;
  /** Connection of the call. It is released once it is free again, possibly after the outcome is known. */
  connection: Connection | null = null;
  bytesRead = 0;
  readonly #terms: CollectorTerms;
  readonly #timeoutMs: number;
  readonly #settle: (outcome: HttpOutcome) => void;
  /** Controller of the call; undefined until the call is written to its connection, also before the second attempt. */
  #controller: Dispatcher.DispatchController | undefined;
  #firstLoss: string | undefined;
  #settled = false;
  #status = 0;
  #retryAfter: string | null = null;
  #contentEncoding: string | undefined;
  #chunks: Buffer[] = [];

  constructor(call: HttpCall, terms: CollectorTerms, settle: (outcome: HttpOutcome) => void) {
    this.call = call;
    this.#timeoutMs = call.timeoutMs ?? terms.timeoutMs;
    this.deadline = performance.now() + this.#timeoutMs;
    this.#terms = terms;
    this.#settle = settle;
  }

  get settled(): boolean {
    return this.#settled;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A process that was stopped meanwhile may process its connection before its timers.
    if (performance.now() >= this.deadline) this.expire();
    if (this.#firstLoss !== undefined) this.#beginAgain(this.#firstLoss);
    this.#controller = controller;
    // The call expired while it waited for a connection: it must not be sent after the outcome was reported.
    if (this.#settled) controller.abort(new Error('expired before it was sent'));
  }

  #beginAgain(cause: string): void {
    if (performance.now() > (this.call.repeatUntilMs ?? Infinity)) this.#finish({ kind: 'ambiguous', cause });
    if (!this.#settled) this.#terms.onSentAgain?.();
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    this.#status = status;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = typeof retryAfter === 'string' ? retryAfter : null;
    const encoding = headers['content-encoding'];
    this.#contentEncoding = Array.isArray(encoding) ? encoding.join(', ') : encoding;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytesRead += chunk.length;
    if (this.bytesRead > this.#terms.maxAnswerBytes && this.#terms.cutsAnswers) {
      this.#chunks.push(chunk);
      this.#finish(this.#answer(Buffer.concat(this.#chunks).subarray(0, this.#terms.maxAnswerBytes)));
      controller.abort(new Error('the rest is not wanted'));
      return;
    }
    if (this.bytesRead > this.#terms.maxAnswerBytes) {
      this.#finish({ kind: 'ambiguous', cause: `answer longer than ${this.#terms.maxAnswerBytes} bytes` });
      controller.abort(new Error('answer too long'));
      return;
    }
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [first] = this.#chunks;
    const whole = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    this.#finish(this.#answer(whole));
    this.#giveBack();
  }

  #answer(body: Buffer): HttpOutcome {
    const [retryAfter, contentEncoding] = [this.#retryAfter, this.#contentEncoding];
    return { kind: 'answered', status: this.#status, retryAfter, contentEncoding, body };
  }

  onResponseError(_controller: unknown, error: Error): void {
    const { connection } = this;
    const cause = causeOf(error, this.#status >= 200);
    if (connection && this.#mayRepeat(connection, error)) {
      this.#firstLoss = cause;
      this.#controller = undefined;
      // The socket is closed by now, and the client of the connection opens another one.
      this.#terms.dispatch(connection, this);
      return;
    }
    // If the second connection could not be made, the call is in doubt because of the first one.
    const isUnsent = this.#controller === undefined;
    this.#finish({ kind: this.#failure(), cause: isUnsent ? (this.#firstLoss ?? cause) : cause });
    this.#giveBack();
  }

  #mayRepeat(connection: Connection, error: Error): boolean {
    if (this.#settled || this.#controller === undefined || this.#firstLoss !== undefined) return false;
    return isLostConnection(error) && this.#terms.mayRepeat(connection);
  }

  #failure(): 'not-applied' | 'ambiguous' {
    return this.#controller === undefined && this.#firstLoss === undefined ? 'not-applied' : 'ambiguous';
  }

  expire(): void {
    if (this.#settled) return;
    const cause = `no whole answer within ${this.#timeoutMs} ms`;
    this.#finish({ kind: this.#failure(), cause, timedOut: true });
    this.#controller?.abort(new Error(cause));
  }

  #giveBack(): void {
    const { connection } = this;
    this.connection = null;
    if (connection) this.#terms.free(connection);
  }

  #finish(outcome: HttpOutcome): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#chunks = [];
    this.#settle(outcome);
  }
}
