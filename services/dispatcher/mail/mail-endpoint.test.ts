import { createServer } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { guardedSockets } from '../../../test/support/guarded-sockets.ts';
import { startMailServer, type MailServer } from '../../../test/support/mail-server.ts';
import { systemClock } from '../../../shared/runtime/system-clock.ts';
import type { Callback } from '../ports/callback-endpoint.ts';
import { chooseEndpoint } from './choose-endpoint.ts';
import { createMailEndpoint } from './mail-endpoint.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function mailServer(...of: Parameters<typeof startMailServer>): Promise<MailServer> {
  const server = await startMailServer(...of);
  closers.push(() => server.close());
  return server;
}

function endpointTo(url: string, sockets = guardedSockets()) {
  const settings = { url, from: 'Muster <muster@example.com>', domains: ['example.com'] };
  const endpoint = createMailEndpoint({ settings, sockets, clock: systemClock });
  closers.push(() => endpoint.close());
  return endpoint;
}

function emailOf(subject: string) {
  const text = `${subject}\n\nCampaign: Payday\n\nhttps://muster.example.com/runs/run_1\n`;
  return { subject: `[Muster] ${subject}`, text, thread: 'run_1', type: 'run.paused' };
}

function callTo(path: string, email: unknown = emailOf('It is paused'), more: Partial<Callback> = {}): Callback {
  return {
    limits: { clientId: 'c', revision: 1, concurrency: 10, timeoutMs: 10_000, egress: [] },
    method: 'POST',
    origin: 'mailto:',
    path,
    notAfterMs: Infinity,
    headers: ['webhook-id', 'job_7'],
    body: Buffer.from(JSON.stringify(email)),
    ...more,
  };
}

/** Reads only the headers, because a line of the text may look like a header. */
function headerOf(message: string, name: string): string | undefined {
  const [head = ''] = message.split('\r\n\r\n', 1);
  return new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(head)?.[1];
}

describe('a notification by e-mail', () => {
  it('contains the event, and is the same message at each delivery', async () => {
    const server = await mailServer();
    const answer = await endpointTo(server.url).call(callTo('team@example.com'));
    expect(answer).toMatchObject({ kind: 'answered', status: 250 });
    const [mail] = server.received;
    expect(mail).toMatchObject({ from: 'muster@example.com', to: ['team@example.com'] });
    const { text = '' } = mail ?? {};
    expect(headerOf(text, 'Subject')).toBe('[Muster] It is paused');
    expect(headerOf(text, 'Message-ID')).toBe('<job_7@example.com>');
    expect(headerOf(text, 'References')).toBe('<run_1@example.com>');
    expect(headerOf(text, 'Auto-Submitted')).toBe('auto-generated');
    expect(headerOf(text, 'X-Muster-Event')).toBe('run.paused');
    expect(text).toContain('It is paused\r\n\r\nCampaign: Payday\r\n\r\nhttps://muster.example.com/runs/run_1\r\n');
  });

  it('cannot have injected headers or recipients', async () => {
    const server = await mailServer();
    const endpoint = endpointTo(server.url);
    await endpoint.call(callTo('team@example.com', emailOf('x\r\nBcc: eve@example.com\r\n\r\nforged')));
    expect(server.received[0]?.to).toEqual(['team@example.com']);
    expect(headerOf(server.received[0]?.text ?? '', 'Bcc')).toBeUndefined();
    expect(await endpoint.call(callTo('team@elsewhere.test'))).toMatchObject({ kind: 'forbidden' });
    expect(await endpoint.call(callTo('team@example.com', { any: 'thing' }))).toMatchObject({ kind: 'forbidden' });
    const noJson = callTo('team@example.com', null, { body: Buffer.from('{') });
    expect(await endpoint.call(noJson)).toMatchObject({ kind: 'forbidden' });
    expect(server.received).toHaveLength(1);
  });

  it.each([
    [450, '450 try again later'],
    [550, '550 no such user'],
  ])('is answered with the status %i and the text of the server', async (status, refusal) => {
    const server = await mailServer(() => refusal);
    const answer = await endpointTo(server.url).call(callTo('team@example.com'));
    expect(answer).toMatchObject({ kind: 'answered', status });
    expect(answer.kind === 'answered' && answer.body.toString()).toBe(refusal);
  });

  it('is unanswered if no mail server listens, or if the server does not answer in time', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const call = callTo('team@example.com', emailOf('x'), { timeoutMs: 200 });
    const reported = await endpointTo(`smtp://127.0.0.1:${port}`).call(call);
    expect(reported).toEqual({ kind: 'unanswered', cause: 'the mail server did not take it in time' });
    const closed = new Promise((resolve) => silent.close(resolve));
    closers.splice(0).forEach((close) => void close());
    await closed;
    expect(await endpointTo(`smtp://127.0.0.1:${port}`).call(call)).toEqual({
      kind: 'unanswered',
      cause: 'no connection to the mail server',
    });
  });

  it("is not sent while the server's name resolves to a forbidden address", async () => {
    const server = await mailServer();
    const url = server.url.replace('127.0.0.1', 'mail.test');
    let address = '169.254.169.254';
    const endpoint = endpointTo(
      url,
      guardedSockets(() => [address]),
    );
    expect(await endpoint.call(callTo('team@example.com'))).toEqual({
      kind: 'unsent',
      cause: 'MUSTER_EGRESS_ALLOW does not allow the address of the mail server',
    });
    address = '127.0.0.1';
    expect(await endpoint.call(callTo('team@example.com'))).toMatchObject({ status: 250 });
  });

  it('is not sent if the server requires a password without encryption', async () => {
    const requested: unknown[] = [];
    const server = await mailServer(undefined, {
      allowInsecureAuth: true,
      onAuth: (auth, _session, callback) => {
        requested.push(auth.username);
        callback(null, { user: auth.username });
      },
    });
    const url = server.url.replace('smtp://', 'smtp://muster:secret@');
    expect(await endpointTo(url).call(callTo('team@example.com'))).not.toMatchObject({ status: 250 });
    expect([requested, server.received]).toEqual([[], []]);
  });

  it('is not sent after its claim has ended, and is released if no server is configured', async () => {
    const server = await mailServer();
    const late = callTo('team@example.com', emailOf('x'), { notAfterMs: systemClock.monotonicMs() - 1 });
    expect(await endpointTo(server.url).call(late)).toMatchObject({ kind: 'unanswered' });
    const http = { call: () => Promise.reject(new Error('no call')) };
    expect(
      await chooseEndpoint({ http, topics: http, mail: undefined }).call(callTo('team@example.com')),
    ).toMatchObject({ kind: 'unsent' });
    expect(server.received).toEqual([]);
  });
});
