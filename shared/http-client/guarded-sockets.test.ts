import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEgressGuard } from '../runtime/egress/address-guard.ts';
import { createGuardedSockets } from './guarded-sockets.ts';

let server: Server;
let port: number;
let accepted: number;
let addresses: string[];
const opened: Socket[] = [];

beforeEach(async () => {
  accepted = 0;
  addresses = ['127.0.0.1'];
  server = createServer((socket) => {
    accepted++;
    opened.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});

afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
  server.close();
});

const loopback = { of: 'a test', rules: [{ cidr: '127.0.0.1/32' }] };

function sockets(rules = loopback) {
  const names = { addressesOf: () => Promise.resolve(addresses), close: () => undefined };
  return createGuardedSockets({ guard: createEgressGuard([rules]), names }, 'shop');
}

/** Returns `connected`, or the code of the error. */
async function outcomeOf(socket: Socket): Promise<unknown> {
  opened.push(socket);
  try {
    await once(socket, 'connect');
    return 'connected';
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

const forbidden = 'MUSTER_FORBIDDEN_ADDRESS';
/** Both ways in which libraries get a socket. */
const ways: [string, (host: string) => Socket][] = [
  ['opened', (host) => sockets().open({ hostname: host, port })],
  ['connected by a library', (host) => sockets().unconnected().connect(port, host)],
];

describe.each(ways)('a socket that is %s', (_way, socketTo) => {
  it('connects to a name with an address that may be called', async () => {
    expect(await outcomeOf(socketTo('shop.test'))).toBe('connected');
    expect(await outcomeOf(socketTo('127.0.0.1'))).toBe('connected');
  });

  it('connects to no forbidden address, even if the name resolves to one later', async () => {
    expect(await outcomeOf(socketTo('shop.test'))).toBe('connected');
    addresses = ['169.254.169.254'];
    expect(await outcomeOf(socketTo('shop.test'))).toBe(forbidden);
    addresses = ['127.0.0.2'];
    expect(await outcomeOf(socketTo('shop.test'))).toBe(forbidden);
    expect(await outcomeOf(socketTo('127.0.0.2'))).toBe(forbidden);
    expect(accepted).toBe(1);
  });

  it('passes over the forbidden addresses of a name', async () => {
    addresses = ['127.0.0.2', '169.254.169.254', '127.0.0.1'];
    expect(await outcomeOf(socketTo('shop.test'))).toBe('connected');
  });
});
