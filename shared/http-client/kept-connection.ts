import type { Socket } from 'node:net';
import { Client, type buildConnector } from 'undici';
import { withContinue } from './interim-answers.ts';

/**
 * Time for which an idle connection is kept, unless the `Keep-Alive: timeout` of the server allows more. Servers that
 * name no time close after two seconds or more (gunicorn 2, Node.js 5, nginx 75). A call that is written while the
 * server closes the connection is lost, and nothing shows whether it was received.
 */
const idleMs = 1500;
/** Idle time after which a connection carries no call that must not be repeated, whatever the server allows. */
const unrepeatableIdleMs = 500;
/** Balancers and NAT forget idle connections without notice, the soonest after about a minute. */
const maxIdleMs = 60_000;
/** A connection is closed this long before its server would close it. */
const keepAliveMarginMs = 1000;

export interface ConnectionTerms {
  origin: string;
  /** Makes the sockets. */
  connect: buildConnector.connector;
  /** False if a call that is lost with its connection cannot be sent again. */
  isRepeatable: boolean;
}

/** One connection at a time to an origin, by an undici client of its own. */
export class KeptConnection<Call> {
  readonly client: Client;
  /** The call that it carries. */
  call: Call | null = null;
  readonly #isRepeatable: boolean;
  #socket: Socket | null = null;
  /** Null until the socket has carried an answer. */
  #idleSinceMs: number | null = null;
  /** Bytes that the socket had received before the call. */
  #bytesBefore = 0;

  constructor({ origin, connect, isRepeatable }: ConnectionTerms) {
    const connectSocket = withContinue(connect);
    this.#isRepeatable = isRepeatable;
    this.client = new Client(origin, {
      pipelining: 1,
      // Over HTTP/2 a connection's end would leave open which of its calls were never begun.
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
      // The deadline of calls is kept by their collector: undici's own would restart with every byte.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /**
   * Closes a connection that was idle for too long. The timer of undici does so too, but late if the event loop was
   * blocked. The client connects anew for the next call.
   */
  begin(call: Call): void {
    this.call = call;
    this.#bytesBefore = this.#socket?.bytesRead ?? 0;
    if (this.#isRepeatable || this.#idleSinceMs === null) return;
    if (performance.now() - this.#idleSinceMs > unrepeatableIdleMs) this.#socket?.destroy();
  }

  /**
   * True if the socket had carried an answer before the call, and has received no byte since. Asked once the socket has
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
