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

  async function open(): Promise<{ socket: Socket; replies: () => string }> {
    const socket = connect(proxy.port, '127.0.0.1');
    let arrived = '';
    socket.on('data', (bytes) => (arrived += bytes.toString()));
    socket.on('error', () => (arrived += ' reset'));
    clients.push(socket);
    await once(socket, 'connect');
    return { socket, replies: () => arrived };
  }

  it('holds back data and the end of a cut connection, and delivers both in order afterwards', async () => {
    const { socket, replies } = await open();
    socket.write('one ');
    await until('the echo comes', () => replies() === 'echo one ');
    proxy.hold({ toServer: true, toClient: false });
    socket.write('two ');
    socket.end('three');
    const { socket: other, replies: otherReplies } = await open();
    other.write('four ');
    expect(received).toBe('one ');
    expect(ends).toEqual([]);

    proxy.hold({ toServer: false, toClient: false });
    await until('all arrived', () => ends.length === 1 && otherReplies() === 'echo four ');
    expect(received.replace('four ', '')).toBe('one two three');
  });

  it('can delay responses without delaying requests', async () => {
    const { socket, replies } = await open();
    proxy.hold({ toServer: false, toClient: true });
    socket.write('one ');
    await until('the server has it', () => received === 'one ');
    expect(replies()).toBe('');

    proxy.hold({ toServer: false, toClient: false });
    await until('the echo comes', () => replies() === 'echo one ');
  });

  it('resets a connection at every n-th packet to the client', async () => {
    proxy.resetEvery(2);
    const first = await open();
    first.socket.write('one ');
    await until('the echo comes', () => first.replies() === 'echo one ');
    first.socket.write('two ');
    await until('it is reset', () => first.replies().endsWith('reset'));

    const second = await open();
    second.socket.write('three ');
    await until('the next one passes', () => second.replies() === 'echo three ');
  });
});
