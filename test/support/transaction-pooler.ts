import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

/**
 * A pooler before Postgres that lends connections by transaction, like PgBouncer: a client gets the connection that was
 * returned last. Each client brings a connection, with which it authenticates.
 */
export interface TransactionPooler {
  /** Address of the database through the pooler. */
  url: string;
  close(): Promise<void>;
}

const sslRequest = 80_877_103;
const parameterStatus = 'S';

/** @param isSilent true if the pooler hides the parameters that the server reports, as PgBouncer does with most */
export async function startTransactionPooler(databaseUrl: string, isSilent = false): Promise<TransactionPooler> {
  const { hostname, port } = new URL(databaseUrl);
  const idle: Backend[] = [];
  const sockets = new Set<Socket>();

  const server = createServer((frontend) => {
    let backend: Backend | undefined;
    let isStarted = false;
    const keep = (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    };
    keep(frontend);

    function lend(to: Backend): Backend {
      to.onMessage = (message, isIdle) => {
        if (!isSilent || message.toString('latin1', 0, 1) !== parameterStatus) frontend.write(message);
        if (!isIdle) return;
        isStarted = true;
        backend = undefined;
        idle.push(to);
      };
      return to;
    }

    frontend.on('data', (data) => {
      if (!isStarted && data.length === 8 && data.readInt32BE(4) === sslRequest) {
        frontend.write('N');
        return;
      }
      if (isStarted && data[0] === 'X'.charCodeAt(0)) {
        frontend.end();
        return;
      }
      if (backend === undefined) {
        const free = isStarted ? idle.pop() : undefined;
        backend = lend(free ?? createBackend(hostname, Number(port)));
        if (free === undefined) keep(backend.socket);
      }
      backend.socket.write(data);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Backend {
  socket: Socket;
  /** Called with each complete message, and with whether Postgres is outside of a transaction after it. */
  onMessage: (message: Buffer, isIdle: boolean) => void;
}

function createBackend(host: string, port: number): Backend {
  let rest = Buffer.alloc(0);
  const backend: Backend = { socket: connect(port, host), onMessage: () => undefined };
  backend.socket.on('data', (data) => {
    rest = Buffer.concat([rest, data]);
    // A message has a letter, a length that includes itself, and the content.
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = rest.readInt32BE(1) + 1;
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      backend.onMessage(message, message.toString('latin1', 0, 1) === 'Z' && message.toString('latin1', 5) === 'I');
    }
  });
  return backend;
}
