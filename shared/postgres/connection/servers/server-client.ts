import { Socket } from 'node:net';
import pg from 'pg';
import { afterReading } from '../../../runtime/after-reading.ts';
import type { DatabaseServer, WantedServer } from '../../../runtime/configuration/database-url.ts';
import { SkippedServerError, skippedServerError } from './try-servers.ts';
import type { ServerOrder } from './server-order.ts';

/** A server that does not answer within this time is skipped. */
const connectTimeoutMs = 5_000;

/**
 * State shared by a process's connections to several servers, so that all connections learn what one of them finds out.
 */
export interface SharedServers {
  servers: number;
  wanted: WantedServer;
  order: ServerOrder;
  /** Connections that are open or about to open. */
  open: Set<ServerClient>;
}

type ConnectCallback = Parameters<pg.Client['connect']>[0];

/**
 * A connection to the next server in order. Connecting rejects if the server is not of the wanted kind. The check needs
 * no query: PostgreSQL reports at the start of a session, and on each change, whether it is a standby and whether
 * transactions are read-only. If the server stops being of the wanted kind, the connection ends between two
 * transactions. If another server is found to be of the wanted kind, the connection ends at once.
 */
export class ServerClient extends pg.Client {
  readonly server: DatabaseServer;
  readonly #shared: SharedServers;
  readonly #reported = new Map<string, string>();
  readonly #tcp: Socket;
  readonly #timeoutMs: number;
  #isConnected = false;

  constructor(shared: SharedServers, config: pg.ClientConfig = {}, timeoutMs = connectTimeoutMs) {
    const server = shared.order.next();
    const tcp = new Socket();
    // The timeout of pg would decide before the socket is read.
    super({ ...config, connectionString: server.url, connectionTimeoutMillis: 0, stream: () => tcp });
    this.#tcp = tcp;
    this.#timeoutMs = timeoutMs;
    this.server = server;
    this.#shared = shared;
    // The pool adds its listener later, and an error without a listener would end the process.
    this.on('error', () => undefined);
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }: Parameter) => {
      this.#reported.set(parameterName, parameterValue);
    });
    this.connection.on('readyForQuery', ({ status }: { status: string }) => {
      const problem = this.#isConnected && status === 'I' ? this.#whyNot() : undefined;
      if (problem !== undefined) this.leave(`${server.name} ${problem}`);
    });
    this.connection.once('end', () => shared.open.delete(this));
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.Client> | undefined {
    const connecting = this.#connectIfRight();
    if (callback === undefined) return connecting;
    connecting.then(
      () => void Reflect.apply(callback, undefined, []),
      (error: unknown) => void Reflect.apply(callback, undefined, [error]),
    );
    return undefined;
  }

  /** Breaks the connection: running queries fail with the reason, as with a lost connection. */
  leave(reason: string): void {
    this.connection.stream.destroy(new Error(`Connection lost: ${reason}`));
  }

  async #connectIfRight(): Promise<pg.Client> {
    const { order, open } = this.#shared;
    try {
      await this.#inTime(super.connect(), 'it does not answer in time');
      if (this.#shared.wanted !== 'any' && !this.#isReported()) await this.#ask();
      const problem = this.#whyNot();
      if (problem !== undefined) throw new SkippedServerError(this.server, problem);
    } catch (error) {
      const over = error instanceof SkippedServerError ? error : skippedServerError(this.server, error);
      if (over) order.skip(this.server);
      this.end().catch(() => undefined);
      throw over ?? error;
    }
    this.#isConnected = true;
    open.add(this);
    if (order.recordAccepted(this.server)) this.#leaveOthers();
    return this;
  }

  /** Ends connections to other servers: there is only one leader, even if a connection has not noticed. */
  #leaveOthers(): void {
    if (this.#shared.wanted === 'any') return;
    for (const other of this.#shared.open) {
      if (other.server !== this.server) other.leave(`${this.server.name} leads now`);
    }
  }

  #isReported(): boolean {
    return this.#reported.has(standby) && this.#reported.has(readOnly);
  }

  /** Queries the server's kind, because a pooler does not forward the server's own reports. */
  async #ask(): Promise<void> {
    const query = this.query<{ isStandby: string; isReadOnly: string }>(
      `select case when pg_is_in_recovery() then 'on' else 'off' end as "isStandby",
         current_setting('default_transaction_read_only') as "isReadOnly"`,
    );
    const { rows } = await this.#inTime(query, 'it does not say what it is');
    for (const { isStandby, isReadOnly } of rows) {
      this.#reported.set(standby, isStandby).set(readOnly, isReadOnly);
    }
  }

  /**
   * Breaks the connection unless the work ends in time. Connecting takes several messages each way. After a pause of
   * the process, the timer may be due while a message has arrived but is unread: the server then has the same time once
   * more.
   */
  async #inTime<Result>(work: Promise<Result>, reason: string): Promise<Result> {
    let isOver = false;
    let timer: NodeJS.Timeout;
    const expire = (isLast: boolean): void => {
      const before = this.#progress();
      const decide = () => {
        if (isOver) return;
        if (isLast || this.#progress() === before) this.leave(reason);
        else timer = setTimeout(expire, this.#timeoutMs, true);
      };
      afterReading(() => this.#progress(), decide);
    };
    timer = setTimeout(expire, this.#timeoutMs, false);
    try {
      return await work;
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  }

  /** Returns a value that changes when the server accepts the connection, and with each byte from the server. */
  #progress(): number {
    return this.#tcp.connecting ? -1 : this.#tcp.bytesRead;
  }

  #whyNot(): string | undefined {
    const { wanted } = this.#shared;
    if (wanted !== 'any' && this.#reported.get(standby) === 'on') return 'is a standby';
    if (wanted === 'read-write' && this.#reported.get(readOnly) === 'on') return 'may only be read';
    return undefined;
  }
}

interface Parameter {
  parameterName: string;
  parameterValue: string;
}

const standby = 'in_hot_standby';
const readOnly = 'default_transaction_read_only';
