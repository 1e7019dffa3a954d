import type { Socket } from 'node:net';
import type { Broker } from 'kafkajs';

/** Of kafkajs 2.2.4: to each broker it has one connection for fetches alone, beside one for all else. */
interface FetchConnection {
  socket: Socket;
  chunks: Buffer[];
  bytesBuffered: number;
  /** Until the size of the next answer can be read. */
  bytesNeeded: number;
  isConnected(): boolean;
  rejectRequests(error: Error): void;
  disconnect(): Promise<unknown>;
}

const indexOfFetches = 1;
const sizeBytes = 4;
/** What kafkajs listens to, without asking whether it still is the connection's socket. */
const heardEvents = ['data', 'end', 'error', 'timeout'];

/**
 * Gives up the fetch that this broker has not answered yet: it is rejected here, and the next one goes over a new
 * connection. Over the old one it would wait, as a broker answers one request of a connection after the other.
 *
 * @returns false where nothing could be given up, as no connection is there yet
 */
export async function dropFetches(broker: Broker): Promise<boolean> {
  const connection = fetchConnectionOf(broker);
  if (!connection.isConnected()) return false;
  const { socket } = connection;
  for (const event of heardEvents) socket.removeAllListeners(event);
  socket.on('error', () => undefined);
  connection.rejectRequests(new Error('the fetch was given up'));
  await connection.disconnect();
  socket.destroy();
  // Of an answer that was cut.
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
