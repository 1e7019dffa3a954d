import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface RawServer {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** Number of connections so far. */
  connections(): number;
  /** Closes the server and its connections. */
  close(): void;
}

/** Starts a TCP server that calls `answer` for all data that its sockets receive. */
export async function startRawServer(answer: (socket: Socket, received: Buffer) => void): Promise<RawServer> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.setNoDelay(true).on('error', () => socket.destroy());
    socket.on('data', (received) => answer(socket, Buffer.from(received)));
  });
  const port = await portOf(server);
  return {
    url: `http://127.0.0.1:${port}`,
    connections: () => sockets.length,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Lets a server listen on the port of the address, a free one unless given, and returns it. */
export function portOf(server: Server, host = '127.0.0.1', port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => {
      const address: AddressInfo | string | null = server.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
    });
  });
}
