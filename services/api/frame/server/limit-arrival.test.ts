import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as nextCheck } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { portOf } from '../../../../test/support/raw-server.ts';
import { limitArrival } from './limit-arrival.ts';

const bodyBytes = 40_000;

describe('the body of a request', () => {
  const stops: (() => unknown)[] = [];

  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });

  /** Sends the headers of a request, without its body, to a server that answers when the body has arrived. */
  async function sendHead(timeoutMs: number, contentType = 'application/json') {
    const server = createServer((raw, response) => {
      limitArrival({ raw, headers: raw.headers }, { raw: response }, timeoutMs);
      raw.resume().once('end', () => response.end('has arrived'));
    });
    stops.push(() => server.close());
    const client = connect(await portOf(server));
    stops.push(() => client.destroy());
    let answer = '';
    client.on('data', (received) => (answer += received.toString()));
    const begun = once(server, 'request');
    client.write(
      `POST / HTTP/1.1\r\nhost: a\r\ncontent-type: ${contentType}\r\ncontent-length: ${bodyBytes}\r\nconnection: close\r\n\r\n`,
    );
    await begun;
    const sendBody = () => client.write('x'.repeat(bodyBytes));
    return { client, sendBody, answer: async () => once(client, 'close').then(() => answer) };
  }

  it('is refused if it does not arrive in time', async () => {
    const { answer } = await sendHead(1);
    expect(await answer()).toMatch(/^HTTP\/1.1 408 /);
  });

  it('may take longer to arrive if it is a file that is read as a stream', async () => {
    const { answer, sendBody } = await sendHead(1, 'text/csv');
    setTimeout(sendBody, 20);
    expect(await answer()).toMatch(/has arrived$/);
  });

  it('is accepted if it arrived in time while the event loop was blocked beyond the limit', async () => {
    const timeoutMs = 500;
    const { answer, sendBody } = await sendHead(timeoutMs);
    // The event loop runs timers next, and reads sockets after them.
    await nextCheck();
    sendBody();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeoutMs + 1);
    expect(await answer()).toMatch(/has arrived$/);
  });
});
