import { Socket } from 'node:net';
import pg from 'pg';
import { afterReading } from '../../../runtime/after-reading.ts';
import type { DatabaseServer, WantedServer } from '../../../runtime/configuration/database-url.ts';
import { PassedOverError, passedOverBecause } from './passed-over.ts';
import type { ServerOrder } from './server-order.ts';

/** A server that does not answer is passed over after this. */
const connectTimeoutMs = 5_000;

/** What the connections of a process to several servers share: what one of them finds out, all know. */
export interface SharedServers {
  /** How many. */
  servers: number;
  wanted: WantedServer;
  order: ServerOrder;
  /** Those that are open, or about to be. */
  open: Set<ServerClient>;
}

type Told = Parameters<pg.Client['connect']>[0];

/**
 * A connection to the next server in order. Connecting rejects where it is not the one that is wanted, which costs no
 * question: PostgreSQL says as a session begins, and each time that it changes, whether it is a standby and whether
 * transactions may only read. A connection whose server stops being right ends itself between two transactions, and one
 * to another server than the one that was found last ends at once.
 */
export class ServerClient extends pg.Client {
  readonly server: DatabaseServer;
  readonly #shared: SharedServers;
  readonly #said = new Map<string, string>();
  readonly #tcp: Socket;
  readonly #timeoutMs: number;
  #isConnected = false;

  constructor(shared: SharedServers, config: pg.ClientConfig = {}, timeoutMs = connectTimeoutMs) {
    const server = shared.order.next();
    const tcp = new Socket();
    // The library's own limit decides before the socket is read.
    super({ ...config, connectionString: server.url, connectionTimeoutMillis: 0, stream: () => tcp });
    this.#tcp = tcp;
    this.#timeoutMs = timeoutMs;
    this.server = server;
    this.#shared = shared;
    // Until the pool has it there is no other listener, and an error without one ends the process.
    this.on('error', () => undefined);
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }: Parameter) => {
      this.#said.set(parameterName, parameterValue);
    });
    this.connection.on('readyForQuery', ({ status }: { status: string }) => {
      const problem = this.#isConnected && status === 'I' ? this.#whyNot() : undefined;
      if (problem !== undefined) this.leave(`${server.name} ${problem}`);
    });
    this.connection.once('end', () => shared.open.delete(this));
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Told): void;
  override connect(callback?: Told): Promise<pg.Client> | undefined {
    const connecting = this.#connectIfRight();
    if (callback === undefined) return connecting;
    connecting.then(
      () => void Reflect.apply(callback, undefined, []),
      (error: unknown) => void Reflect.apply(callback, undefined, [error]),
    );
    return undefined;
  }

  /** What is asked at the moment fails with the reason, as with a connection that broke. */
  leave(reason: string): void {
    this.connection.stream.destroy(new Error(`Connection lost: ${reason}`));
  }

  async #connectIfRight(): Promise<pg.Client> {
    const { order, open } = this.#shared;
    try {
      await this.#inTime(super.connect(), 'it does not answer in time');
      if (this.#shared.wanted !== 'any' && !this.#isSaid()) await this.#ask();
      const problem = this.#whyNot();
      if (problem !== undefined) throw new PassedOverError(this.server, problem);
    } catch (error) {
      const over = error instanceof PassedOverError ? error : passedOverBecause(this.server, error);
      if (over) order.passedOver(this.server);
      this.end().catch(() => undefined);
      throw over ?? error;
    }
    this.#isConnected = true;
    open.add(this);
    if (order.wasRight(this.server)) this.#leaveOthers();
    return this;
  }

  /** Where one leads there is no other, even where a connection to it has not noticed. */
  #leaveOthers(): void {
    if (this.#shared.wanted === 'any') return;
    for (const other of this.#shared.open) {
      if (other.server !== this.server) other.leave(`${this.server.name} leads now`);
    }
  }

  #isSaid(): boolean {
    return this.#said.has(standby) && this.#said.has(readOnly);
  }

  /** A pooler does not pass on what the server says of itself. */
  async #ask(): Promise<void> {
    const asked = this.query<{ isStandby: string; isReadOnly: string }>(
      `select case when pg_is_in_recovery() then 'on' else 'off' end as "isStandby",
         current_setting('default_transaction_read_only') as "isReadOnly"`,
    );
    const { rows } = await this.#inTime(asked, 'it does not say what it is');
    for (const { isStandby, isReadOnly } of rows) {
      this.#said.set(standby, isStandby).set(readOnly, isReadOnly);
    }
  }

  /**
   * Breaks the connection unless the work ends in time. Connecting takes several messages each way: if the timer was
   * due while one of them was here and not read, which happens after a pause of the process, the server has the same
   * time once more.
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

  /** Changes with each part of the way to the server: once it accepts the connection, and with each byte from it. */
  #progress(): number {
    return this.#tcp.connecting ? -1 : this.#tcp.bytesRead;
  }

  #whyNot(): string | undefined {
    const { wanted } = this.#shared;
    if (wanted !== 'any' && this.#said.get(standby) === 'on') return 'is a standby';
    if (wanted === 'read-write' && this.#said.get(readOnly) === 'on') return 'may only be read';
    return undefined;
  }
}

interface Parameter {
  parameterName: string;
  parameterValue: string;
}

const standby = 'in_hot_standby';
const readOnly = 'default_transaction_read_only';
