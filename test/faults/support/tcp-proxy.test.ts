import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { until } from './until.ts';

describe('the TCP proxy of the fault tests', () => {
  let server: Server;
  let proxy: TcpProxy;
  let received = '';
  let ends: string[] = [];
  const clients: Socket[] = [];

  beforeEach(async () => {
    received = '';
    ends = [];
    server = createServer((socket) => {
      socket.on('data', (bytes) => {
        received += bytes.toString();
        socket.write(`echo ${bytes.toString()}`);
      });
      socket.on('end', () => ends.push('end'));
      socket.on('error', () => ends.push('reset'));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    proxy = await startTcpProxy({ host: '127.0.0.1', port: typeof address === 'object' ? (address?.port ?? 0) : 0 });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await proxy.close();
    server.close();
  });

  async function open(): Promise<{ socket: Socket; heard: () => string }> {
    const socket = connect(proxy.port, '127.0.0.1');
    let heard = '';
    socket.on('data', (bytes) => (heard += bytes.toString()));
    socket.on('error', () => (heard += ' reset'));
    clients.push(socket);
    await once(socket, 'connect');
    return { socket, heard: () => heard };
  }

  it('holds back data and the end of a cut connection, and delivers both in order afterwards', async () => {
    const { socket, heard } = await open();
    socket.write('one ');
    await until('the echo comes', () => heard() === 'echo one ');
    proxy.hold({ toServer: true, toClient: false });
    socket.write('two ');
    socket.end('three');
    const { socket: other, heard: otherHeard } = await open();
    other.write('four ');
    expect(received).toBe('one ');
    expect(ends).toEqual([]);

    proxy.hold({ toServer: false, toClient: false });
    await until('all arrived', () => ends.length === 1 && otherHeard() === 'echo four ');
    expect(received.replace('four ', '')).toBe('one two three');
  });

  it('can delay responses without delaying requests', async () => {
    const { socket, heard } = await open();
    proxy.hold({ toServer: false, toClient: true });
    socket.write('one ');
    await until('the server has it', () => received === 'one ');
    expect(heard()).toBe('');

    proxy.hold({ toServer: false, toClient: false });
    await until('the echo comes', () => heard() === 'echo one ');
  });

  it('resets a connection at every n-th packet to the client', async () => {
    proxy.resetEvery(2);
    const first = await open();
    first.socket.write('one ');
    await until('the echo comes', () => first.heard() === 'echo one ');
    first.socket.write('two ');
    await until('it is reset', () => first.heard().endsWith('reset'));

    const second = await open();
    second.socket.write('three ');
    await until('the next one passes', () => second.heard() === 'echo three ');
  });
});
