import { Client, type buildConnector, type Dispatcher } from 'undici';
import { causeOf } from './http-cause.ts';

/**
 * What became of one HTTP call.
 * Causes are for people: plain words, without an address.
 * - `answered`: the whole answer arrived, whatever it says.
 * - `not-applied`: the request never started on a connection (refused, look-up or TLS failed): it cannot have had an
 *   effect.
 * - `ambiguous`: it was sent, at least in part, and no whole answer arrived in time and size.
 *
 * `timedOut`: it took too long.
 */
export type HttpOutcome =
  | { kind: 'answered'; status: number; retryAfter: string | null; contentEncoding: string | undefined; body: Buffer }
  | { kind: 'not-applied'; cause: string; timedOut?: true }
  | { kind: 'ambiguous'; cause: string; timedOut?: true };

export interface HttpCall {
  method: string;
  path: string;
  /** Names and values in turn. */
  headers: string[];
  body?: Buffer;
  /** In the place of the origin's. */
  timeoutMs?: number;
}

export interface HttpOrigin {
  /** Sends once: no retry, no redirect. Never rejects. */
  send(call: HttpCall): Promise<HttpOutcome>;
  /** Breaks off what is still in flight. */
  close(): Promise<void>;
}

export interface HttpOriginOptions {
  /** Scheme, host and port. */
  origin: string;
  connections: number;
  /** From the call to the end of its answer, however slowly it drips. */
  timeoutMs: number;
  maxAnswerBytes: number;
  /** True: of a longer answer, the first bytes are the answer, and the rest is not waited for. */
  cutsAnswers?: boolean;
  /** Makes the connections, in place of undici. */
  connect?: buildConnector.connector;
}

/** How often running calls are looked at for their deadline: one timer for all instead of one for each. */
const deadlineCheckMs = 50;

/** A client of its own, and the call that it carries. */
interface Connection {
  readonly client: Client;
  collector: AnswerCollector | null;
}

/**
 * Calls to one origin by undici's `dispatch`, which costs half of what `request` does: no stream is made for an answer
 * that is wanted whole. Each connection is a client of its own, and the one that was used last is taken first: undici's
 * pool looks through its clients for every call, and queues the call that follows an answer until a later turn of the
 * event loop.
 *
 * What runs is found by its connection. In a set of all calls, each table that the set outgrows would keep its last
 * calls alive, and be kept alive itself by the table before it that is old already: whatever a call refers to would be
 * copied into the old generation.
 */
export function createHttpOrigin(settings: HttpOriginOptions): HttpOrigin {
  const { origin, connections, timeoutMs, maxAnswerBytes, cutsAnswers = false, connect } = settings;
  const options: Client.Options = {
    pipelining: 1,
    // Over HTTP/2 a connection's end would leave open which of its calls were never begun.
    allowH2: false,
    connect: connect ?? { timeout: Math.min(timeoutMs, 10_000) },
    // The deadline below is ours: undici's own would restart with every byte.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const open: Connection[] = [];
  const idle: Connection[] = [];
  let waiting: { call: HttpCall; collector: AnswerCollector }[] = [];
  let closed = false;
  let deadlines: NodeJS.Timeout | undefined;

  function openOne(): Connection | undefined {
    if (open.length >= connections) return undefined;
    const connection = { client: new Client(origin, options), collector: null };
    open.push(connection);
    return connection;
  }

  function dispatch(
    connection: Connection,
    { method, path, headers, body }: HttpCall,
    collector: AnswerCollector,
  ): void {
    connection.collector = collector;
    collector.connection = connection;
    try {
      connection.client.dispatch({ method, path, headers, body: body ?? null }, collector);
    } catch (error) {
      collector.onResponseError(undefined, error instanceof Error ? error : new Error(String(error)));
    }
  }

  function free(connection: Connection): void {
    connection.collector = null;
    let next = waiting.shift();
    while (next?.collector.settled) next = waiting.shift();
    if (next) dispatch(connection, next.call, next.collector);
    else idle.push(connection);
  }

  function checkDeadlines(): void {
    const now = performance.now();
    let running = 0;
    for (const { collector } of [...open, ...waiting]) {
      if (!collector) continue;
      running++;
      if (collector.deadline <= now) collector.expire();
    }
    waiting = waiting.filter(({ collector }) => !collector.settled);
    // Without calls nothing is to be woken: an idle process would do little else.
    if (running === 0) deadlines = undefined;
    else deadlines?.refresh();
  }

  const terms = { timeoutMs, maxAnswerBytes, cutsAnswers, free };
  return {
    send: (call) =>
      new Promise((resolve) => {
        const collector = new AnswerCollector(
          call.timeoutMs === undefined ? terms : { ...terms, timeoutMs: call.timeoutMs },
          resolve,
        );
        if (closed) {
          collector.onResponseError(undefined, new Error('closed'));
          return;
        }
        deadlines ??= setTimeout(checkDeadlines, deadlineCheckMs).unref();
        const connection = idle.pop() ?? openOne();
        if (connection) dispatch(connection, call, collector);
        else waiting.push({ call, collector });
      }),
    close: async () => {
      closed = true;
      clearTimeout(deadlines);
      for (const { collector } of waiting.splice(0)) collector.onResponseError(undefined, new Error('closed'));
      await Promise.all(open.map(({ client }) => client.destroy()));
    },
  };
}

interface CollectorTerms {
  timeoutMs: number;
  maxAnswerBytes: number;
  cutsAnswers: boolean;
  free: (connection: Connection) => void;
}

/** Collects one answer. A class, so that its methods are made once and not for every call. */
class AnswerCollector implements Dispatcher.DispatchHandler {
  readonly deadline: number;
  /** Given back once it is free again, which may be later than the outcome is known. */
  connection: Connection | null = null;
  readonly #terms: CollectorTerms;
  readonly #settle: (outcome: HttpOutcome) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #status = 0;
  #retryAfter: string | null = null;
  #contentEncoding: string | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(terms: CollectorTerms, settle: (outcome: HttpOutcome) => void) {
    this.deadline = performance.now() + terms.timeoutMs;
    this.#terms = terms;
    this.#settle = settle;
  }

  get settled(): boolean {
    return this.#settled;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A process that was stopped meanwhile may see its connection before it sees its timers.
    if (performance.now() >= this.deadline) this.expire();
    this.#controller = controller;
    // It expired while it waited for a connection: it must not be sent after that was reported.
    if (this.#settled) controller.abort(new Error('expired before it was sent'));
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    this.#status = status;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = typeof retryAfter === 'string' ? retryAfter : null;
    const encoding = headers['content-encoding'];
    this.#contentEncoding = Array.isArray(encoding) ? encoding.join(', ') : encoding;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#terms.maxAnswerBytes && this.#terms.cutsAnswers) {
      this.#chunks.push(chunk);
      this.#finish(this.#answer(Buffer.concat(this.#chunks).subarray(0, this.#terms.maxAnswerBytes)));
      controller.abort(new Error('the rest is not wanted'));
      return;
    }
    if (this.#bytes > this.#terms.maxAnswerBytes) {
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
    this.#finish({ kind: this.#controller === undefined ? 'not-applied' : 'ambiguous', cause: causeOf(error) });
    this.#giveBack();
  }

  expire(): void {
    const cause = `no whole answer within ${this.#terms.timeoutMs} ms`;
    this.#finish({ kind: this.#controller === undefined ? 'not-applied' : 'ambiguous', cause, timedOut: true });
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
