import type { Socket } from 'node:net';
import type { Broker } from 'kafkajs';

/** Connection of kafkajs 2.2.4, which has one connection to each broker for fetches, and one for all other requests. */
interface FetchConnection {
  socket: Socket;
  chunks: Buffer[];
  bytesBuffered: number;
  /** Bytes until the size of the next answer can be read. */
  bytesNeeded: number;
  isConnected(): boolean;
  rejectRequests(error: Error): void;
  disconnect(): Promise<unknown>;
}

const indexOfFetches = 1;
const sizeBytes = 4;
/** Events for which kafkajs has listeners that do not check whether the socket is still the connection's. */
const socketEvents = ['data', 'end', 'error', 'timeout'];

/**
 * Gives up the fetch that this broker has not answered yet: the fetch is rejected here, and the next one uses a new
 * connection. On the old one it would wait, because a broker answers the requests of a connection one after another.
 * @returns false if there is no connection yet
 */
export async function dropFetches(broker: Broker): Promise<boolean> {
  const connection = fetchConnectionOf(broker);
  if (!connection.isConnected()) return false;
  const { socket } = connection;
  for (const event of socketEvents) socket.removeAllListeners(event);
  socket.on('error', () => undefined);
  connection.rejectRequests(new Error('the fetch was given up'));
  await connection.disconnect();
  socket.destroy();
  // Discards the start of an answer that was cut.
  Object.assign(connection, { chunks: [], bytesBuffered: 0, bytesNeeded: sizeBytes });
  return true;
}

function fetchConnectionOf(broker: Broker): FetchConnection {
  const connections: unknown = Reflect.get(Object(Reflect.get(broker, 'connectionPool')), 'pool');
  const connection: unknown = Array.isArray(connections) ? connections[indexOfFetches] : undefined;
  if (!isFetchConnection(connection)) throw new Error('kafkajs has other connections than version 2.2.4');
  return connection;
}

function isFetchConnection(value: unknown): value is FetchConnection {
  return typeof value === 'object' && value !== null && 'rejectRequests' in value && 'bytesNeeded' in value;
}
