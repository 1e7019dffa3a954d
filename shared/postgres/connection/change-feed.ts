import type { Client, ClientBase, Pool } from 'pg';
import type { Clock } from '../../ports/clock.ts';
import type { ChangeKind, ChangeFeed } from '../../ports/change-feed.ts';
import { createFoldedLog } from '../../runtime/folded-log.ts';
import { createLoop } from '../../runtime/loop.ts';
import type { Logger } from '../../runtime/logger.ts';
import { connectClient } from './servers/servers.ts';

/** One channel for all kinds: notifications do not leave their database. */
const channel = 'muster';
const againAfterMs = 1000;
/** Interval of probes, which find dead connections that report no error. */
const probeEveryMs = 30_000;
const askTimeoutMs = 10_000;

export interface ChangeFeedDeps {
  connectionString: string;
  /** Name of the connections in pg_stat_activity. */
  applicationName: string;
  clock: Clock;
  logger: Logger;
}

/** Receives the notifications that transactions send on commit (`tell` in the schema), over a connection of its own. */
export interface OpenChangeFeed extends ChangeFeed {
  /** Starts connecting without waiting for the database; the feed is not connected until the database answers. */
  start(): void;
  stop(): Promise<void>;
}

export function createChangeFeed({ connectionString, applicationName, clock, logger }: ChangeFeedDeps): OpenChangeFeed {
  const listeners = new Map<string, (() => void)[]>();
  const log = createFoldedLog({ logger, clock, failing: 'the change feed is not connected: polling more often' });
  const source = {};
  let connection: Client | undefined;

  function tell(kind: string): void {
    for (const listener of listeners.get(kind) ?? []) listener();
  }

  function tellAll(): void {
    for (const kind of listeners.keys()) tell(kind);
  }

  async function listen(): Promise<void> {
    const opened = await connectClient(connectionString, {
      application_name: applicationName,
      connectionTimeoutMillis: askTimeoutMs,
      keepAlive: true,
    });
    const lose = (error?: Error) => {
      if (connection !== opened) return;
      connection = undefined;
      if (error) log.failed(source, error);
      tellAll();
      loop.poke();
    };
    opened.on('notification', ({ payload = '' }) => tell(payload));
    opened.on('error', lose);
    opened.on('end', () => lose());
    try {
      await ask(opened, `listen ${channel}`);
    } catch (error) {
      close(opened);
      throw error;
    }
    connection = opened;
    log.worked(source);
    // Notifications sent before this moment were missed.
    tellAll();
  }

  /** Runs a statement with a timeout: a cut connection may leave a query open for many minutes. */
  async function ask(client: Client, text: string): Promise<void> {
    const answered = new AbortController();
    const timeout = clock.sleep(askTimeoutMs, answered.signal).then(() => {
      if (!answered.signal.aborted) throw new Error(`no answer to ${text} within ${askTimeoutMs} ms`);
    });
    await Promise.race([client.query(text), timeout]).finally(() => answered.abort());
  }

  async function turn(): Promise<number> {
    const client = connection;
    try {
      await (client ? ask(client, 'select 1') : listen());
      return probeEveryMs;
    } catch (error) {
      log.failed(source, error);
      if (client) close(client);
      return againAfterMs;
    }
  }

  /** Closes a connection without waiting: a connection that does not answer does not end either. */
  function close(closed: Client): void {
    if (connection === closed) {
      connection = undefined;
      tellAll();
    }
    closed.end().catch(() => undefined);
  }

  const loop = createLoop({ name: 'change-feed', turn, afterErrorMs: againAfterMs, clock, logger });

  return {
    on: (kind: ChangeKind, listener) => void listeners.set(kind, [...(listeners.get(kind) ?? []), listener]),
    isConnected: () => connection !== undefined,
    start: () => loop.start(),
    stop: async () => {
      listeners.clear();
      await loop.stop();
      const last = connection;
      connection = undefined;
      await last?.end();
    },
  };
}

/** Notifies all processes: at once, or on commit inside a transaction. */
export async function notifyChange(kind: ChangeKind, to: Pool | ClientBase): Promise<void> {
  await to.query({ name: 'tell', text: 'select pg_notify($1, $2)', values: [channel, kind] });
}
