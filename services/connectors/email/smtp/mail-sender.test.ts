import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import {
  startMailServer,
  startScriptedMailServer,
  takingAnswer,
  type AnswerLine,
  type MailServer,
} from '../../../../test/support/mail-server.ts';
import { guardedSockets } from '../../../../test/support/guarded-sockets.ts';
import { createMailSender, type OutgoingMail, type SmtpSettings } from './mail-sender.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function mailServer(...terms: Parameters<typeof startMailServer>): Promise<MailServer> {
  const server = await startMailServer(...terms);
  closers.push(() => server.close());
  return server;
}

function senderTo(url: string, more: Partial<SmtpSettings> = {}) {
  const settings = { url, maxConnections: 2, timeoutMs: 5000, dkim: undefined, ...more };
  const sender = createMailSender(settings, guardedSockets());
  closers.push(() => sender.close());
  return sender;
}

function mailTo(to: string, more: Partial<OutgoingMail> = {}): OutgoingMail {
  return {
    from: 'Shop <news@shop.test>',
    replyTo: undefined,
    to,
    subject: 'Hello',
    html: '<p>Hello</p>',
    text: 'Hello',
    messageId: `${to.replace('@', '.')}@shop.test`,
    headers: {},
    ...more,
  };
}

async function scriptedServer(answer: AnswerLine): Promise<string> {
  const server = await startScriptedMailServer(answer);
  closers.push(() => server.close());
  return server.url;
}

const usual = takingAnswer;

describe('a mail by SMTP', () => {
  it('is one message to one recipient, with its headers', async () => {
    const server = await mailServer();
    const headers = { 'List-Unsubscribe': '<https://shop.test/u>' };
    const mail = mailTo('ada@example.com', { headers, replyTo: 'help@shop.test' });
    expect(await senderTo(server.url).send(mail)).toEqual({ kind: 'accepted' });
    expect(server.received).toMatchObject([{ from: 'news@shop.test', to: ['ada@example.com'] }]);
    const text = `\r\n${server.received[0]?.text}`;
    expect(text).toContain('\r\nMessage-ID: <ada.example.com@shop.test>\r\n');
    expect(text).toContain('\r\nList-Unsubscribe: <https://shop.test/u>\r\n');
    expect(text).toContain('\r\nReply-To: help@shop.test\r\n');
    expect(text).toContain('Content-Type: multipart/alternative;');
  });

  it('is signed by DKIM, including the headers for one-click unsubscription', async () => {
    const server = await mailServer();
    const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString();
    const dkim = { domainName: 'shop.test', keySelector: 's1', privateKey };
    const headers = {
      'List-Unsubscribe': '<https://shop.test/u>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    };
    await senderTo(server.url, { dkim }).send(mailTo('ada@example.com', { headers }));
    const text = server.received[0]?.text ?? '';
    expect(text).toMatch(/^DKIM-Signature: v=1; a=rsa-sha256; c=relaxed\/relaxed; d=shop.test;/);
    const covered = /[;\s]h=([^;]*);/.exec(text)?.[1]?.replaceAll(/\s/g, '').split(':');
    expect(covered).toEqual(expect.arrayContaining(['from', 'list-unsubscribe', 'list-unsubscribe-post']));
  });

  it.each([
    ['450 mailbox busy', 'deferred', 450],
    ['550 no such user', 'refused', 550],
  ])('gets the answer %s, and counts as %s', async (refusal, kind, status) => {
    const server = await mailServer((address) => (address.startsWith('no') ? refusal : undefined));
    const sender = senderTo(server.url);
    expect(await sender.send(mailTo('no@example.com'))).toMatchObject({ kind, status, response: refusal });
    expect(await sender.send(mailTo('ada@example.com'))).toEqual({ kind: 'accepted' });
  });

  it('is refused if the server refuses its content', async () => {
    const url = await scriptedServer((line) => (line === '.' ? '554 5.7.1 spam' : usual(line)));
    const outcome = await senderTo(url).send(mailTo('ada@example.com'));
    expect(outcome).toEqual({ kind: 'refused', status: 554, response: '554 5.7.1 spam' });
  });

  it.each([
    ['is lost if the connection ends before the answer to its content', '.', 'lost'],
    ['is not sent if the connection ends before its content', 'RCPT', 'not-sent'],
    ['is not sent if the connection ends at the greeting', 'EHLO', 'not-sent'],
  ])('%s', async (_, end, kind) => {
    const url = await scriptedServer((line) => (line.startsWith(end) ? undefined : usual(line)));
    expect(await senderTo(url).send(mailTo('ada@example.com'))).toMatchObject({ kind });
  });

  it.each([
    ['is lost if the server does not answer its content in time', '.', 'lost'],
    ['is not sent if the server does not answer its recipient in time', 'RCPT', 'not-sent'],
  ])('%s', async (_, silentAt, kind) => {
    const url = await scriptedServer((line) => (line.startsWith(silentAt) ? '' : usual(line)));
    expect(await senderTo(url, { timeoutMs: 300 }).send(mailTo('ada@example.com'))).toMatchObject({ kind });
  });

  it('is not sent again by the pool if the server closes a connection that was used before', async () => {
    let mails = 0;
    const url = await scriptedServer((line) => {
      if (line === '.') mails++;
      return line.startsWith('MAIL') && mails === 1 ? undefined : usual(line);
    });
    const sender = senderTo(url, { maxConnections: 1 });
    expect(await sender.send(mailTo('ada@example.com'))).toEqual({ kind: 'accepted' });
    expect(await sender.send(mailTo('bob@example.com'))).toMatchObject({ kind: 'not-sent' });
    expect(mails).toBe(1);
  });

  it('is deferred if the server closes the channel for its recipient', async () => {
    const url = await scriptedServer((line) => (line.startsWith('RCPT') ? '421 too busy' : usual(line)));
    expect(await senderTo(url).send(mailTo('ada@example.com'))).toMatchObject({ kind: 'deferred', status: 421 });
  });

  it.each([
    ['without a server', () => 'smtp://127.0.0.1:1'],
    [
      'if the server refuses the sender',
      () => scriptedServer((line) => (line.startsWith('MAIL') ? '550 no' : usual(line))),
    ],
    ['if the server closes the channel at once', () => scriptedServer(() => '421 down')],
    ['without TLS if there is a password', async () => (await mailServer()).url.replace('://', '://shop:secret@')],
  ])('is not sent %s', async (_, urlOf) => {
    expect(await senderTo(await urlOf()).send(mailTo('ada@example.com'))).toMatchObject({ kind: 'not-sent' });
  });

  it('is not sent if the name of its server later resolves to a forbidden address', async () => {
    const server = await mailServer();
    let addresses = ['127.0.0.1'];
    const settings = { maxConnections: 2, timeoutMs: 5000, dkim: undefined };
    const url = server.url.replace('127.0.0.1', 'smtp.test');
    const send = async (to: string) => {
      const sender = createMailSender(
        { ...settings, url },
        guardedSockets(() => addresses),
      );
      closers.push(() => sender.close());
      return await sender.send(mailTo(to));
    };
    expect(await send('ada@example.com')).toEqual({ kind: 'accepted' });
    addresses = ['169.254.169.254'];
    expect(await send('bob@example.com')).toEqual({
      kind: 'not-sent',
      cause: 'its address is none that may be called',
    });
  });
});
