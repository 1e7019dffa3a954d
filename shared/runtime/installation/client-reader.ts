import { publicId } from '../../domain/ids/ids.ts';
import { isNotificationClient } from '../../domain/job/notification-clients.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Client, ClientSource } from '../../ports/clients.ts';
import type { ChangeFeed } from '../../ports/change-feed.ts';
import type { Logger } from '../logger.ts';
import { callEndpointsOf, type CallEndpoint } from './call-endpoints.ts';
import { createSnapshotReader, type SnapshotReader } from './snapshot-reader.ts';

export interface ClientReaderDeps {
  clients: ClientSource;
  changes: ChangeFeed;
  clock: Clock;
  logger: Logger;
}

export interface ClientSnapshot {
  revision: number;
  byId: ReadonlyMap<string, Client>;
  /** Endpoints of all clients by id. The endpoint `default` has the id of its client. */
  endpoints: ReadonlyMap<string, CallEndpoint>;
  /** Clients by name and by public id, as requests refer to them. Clients of notifications are left out. */
  byRef: ReadonlyMap<string, Client>;
}

/** Reader of a process's clients; it follows a change within about a second. */
export type ClientReader = SnapshotReader<ClientSnapshot>;

export function createClientReader({ clients, changes, clock, logger }: ClientReaderDeps): ClientReader {
  const read = async () => {
    const { revision, clients: all } = await clients.read();
    return clientSnapshotOf(revision, all);
  };
  return createSnapshotReader({
    name: 'read-clients',
    source: { revision: () => clients.revision(), read },
    kind: 'clients',
    changes,
    clock,
    logger,
  });
}

export function clientSnapshotOf(revision: number, clients: readonly Client[]): ClientSnapshot {
  return {
    revision,
    byId: new Map(clients.map((client) => [client.clientId, client])),
    endpoints: new Map(clients.flatMap(callEndpointsOf).map((endpoint) => [endpoint.endpointId, endpoint])),
    byRef: new Map(clients.flatMap((client) => refsOf(client).map((ref) => [ref, client]))),
  };
}

function refsOf({ clientId, name }: Client): string[] {
  if (isNotificationClient({ name })) return [];
  return [name, publicId('client', clientId)];
}

/**
 * Returns the client with an id or a name. If the client is unknown, the clients are read again, because another
 * process may have just created it.
 */
export async function clientOfRef(
  ref: string,
  clients: Pick<ClientReader, 'current' | 'refresh'>,
): Promise<Client | undefined> {
  return clients.current()?.byRef.get(ref) ?? (await clients.refresh()).byRef.get(ref);
}
