import type { Socket } from 'node:net';
import { Client, type buildConnector } from 'undici';
import { withContinue } from './interim-answers.ts';

/**
 * Milliseconds for which an idle connection is kept, unless the server's `Keep-Alive: timeout` allows more. Servers
 * that name no time close after two seconds or more (gunicorn 2, Node.js 5, nginx 75). A call that is written while the
 * server closes the connection is lost, and nothing shows whether it was received.
 */
const idleMs = 1500;
/**
 * Idle milliseconds after which a connection is not used for calls that must not be repeated, whatever the server
 * allows.
 */
const unrepeatableIdleMs = 500;
/** Upper bound in milliseconds: balancers and NAT forget idle connections silently, the soonest after a minute. */
const maxIdleMs = 60_000;
/** Milliseconds by which a connection is closed before its server would close it. */
const keepAliveMarginMs = 1000;

export interface ConnectionTerms {
  origin: string;
  connect: buildConnector.connector;
  isRepeatable: boolean;
}

/** Connection to an origin, one at a time, by an undici client of its own. */
export class KeptConnection<Call> {
  readonly client: Client;
  call: Call | null = null;
  readonly #isRepeatable: boolean;
  #socket: Socket | null = null;
  /** Time of the last answer on the socket; null before the first one. */
  #idleSinceMs: number | null = null;
  /** Bytes that the socket had received before the call. */
  #bytesBefore = 0;

  constructor({ origin, connect, isRepeatable }: ConnectionTerms) {
    const connectSocket = withContinue(connect);
    this.#isRepeatable = isRepeatable;
    this.client = new Client(origin, {
      pipelining: 1,
      // If an HTTP/2 connection ends, it is unknown which of its calls had begun.
      allowH2: false,
      connect: (options, callback) =>
        connectSocket(options, (...result) => {
          this.#socket = result[1];
          this.#idleSinceMs = null;
          this.#bytesBefore = 0;
          callback(...result);
        }),
      keepAliveTimeout: isRepeatable ? idleMs : unrepeatableIdleMs,
      keepAliveMaxTimeout: isRepeatable ? maxIdleMs : unrepeatableIdleMs,
      keepAliveTimeoutThreshold: keepAliveMarginMs,
      // The collector enforces the deadline of a call: undici's own time-outs would restart with every byte.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /**
   * Begins a call. First closes a connection that was idle for too long: undici's timer does so too, but late if the
   * event loop was blocked. The client connects anew for the call.
   */
  begin(call: Call): void {
    this.call = call;
    this.#bytesBefore = this.#socket?.bytesRead ?? 0;
    if (this.#isRepeatable || this.#idleSinceMs === null) return;
    if (performance.now() - this.#idleSinceMs > unrepeatableIdleMs) this.#socket?.destroy();
  }

  /**
   * Returns true if the socket had carried an answer before the call, and no byte since. Valid once the socket has
   * ended.
   */
  endedUnanswered(): boolean {
    return this.#bytesBefore > 0 && this.#socket?.bytesRead === this.#bytesBefore;
  }

  end(): void {
    this.call = null;
    this.#idleSinceMs = performance.now();
  }
}
