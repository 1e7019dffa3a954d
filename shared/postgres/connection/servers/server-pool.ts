import pg from 'pg';
import { tryServers } from './try-servers.ts';
import { ServerClient, type SharedServers } from './server-client.ts';

type ConnectCallback = Parameters<pg.Pool['connect']>[0];

/** A pool whose new connections go to the server of the wanted kind. */
export class ServerPool extends pg.Pool {
  readonly #shared: SharedServers;

  constructor(shared: SharedServers, config: pg.PoolConfig) {
    super({
      ...config,
      Client: class extends ServerClient {
        constructor(own?: pg.ClientConfig) {
          super(shared, own);
        }
      },
    });
    this.#shared = shared;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const connecting = tryServers(this.#shared, () => super.connect());
    if (callback === undefined) return connecting;
    connecting.then(
      (client) => callback(undefined, client, (release?: Error | boolean) => client.release(release)),
      (error: unknown) =>
        callback(error instanceof Error ? error : new Error(String(error)), undefined, () => undefined),
    );
    return undefined;
  }
}
