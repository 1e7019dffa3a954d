import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startInbox, type Inbox } from './inbox.ts';

let folder: string;
let inbox: Inbox;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inbox-test-'));
  inbox = await startInbox(folder);
});

afterEach(async () => {
  await inbox.close();
  await rm(folder, { recursive: true });
});

const mail = {
  from: 'news@shop.test',
  to: 'mei@example.com',
  subject: 'Hello',
  text: 'Hello Mei',
  html: '<p>Hello</p>',
};

async function send(...mails: Partial<typeof mail>[]): Promise<void> {
  // The mail server greets each connection after 100 ms.
  const transport = createTransport({ url: inbox.smtpUrl, pool: true, maxConnections: 1 });
  for (const each of mails) await transport.sendMail({ ...mail, ...each });
  transport.close();
}

async function open(path: string, method = 'GET') {
  const response = await fetch(new URL(path, inbox.pageUrl), { method });
  return {
    status: response.status,
    policy: response.headers.get('content-security-policy'),
    body: await response.text(),
  };
}

describe('the inbox', () => {
  it('lists mails with recipient and subject, the newest first', async () => {
    await send({ subject: 'First' }, { to: 'arif@example.com', subject: 'Zweite: Grüße' });
    const { body } = await open('/');
    expect(body).toContain('2 mails');
    expect(body.indexOf('Zweite: Grüße')).toBeGreaterThan(0);
    expect(body.indexOf('Zweite: Grüße')).toBeLessThan(body.indexOf('First'));
    expect(body).toContain('arif@example.com');
  });

  it('finds mails by a part of the recipient, also as JSON', async () => {
    await send({ to: 'arif@example.com' }, {}, {});
    expect((await open('/?to=MEI')).body).not.toContain('arif@');
    expect(JSON.parse((await open('/mails.json?to=arif')).body)).toMatchObject({
      total: 1,
      mails: [{ number: 1, recipient: 'arif@example.com', subject: 'Hello' }],
    });
  });

  it('shows 50 mails on a page, and the first page for pages that do not exist', async () => {
    await send(...Array.from({ length: 51 }, (_, index) => ({ subject: `Mail ${index + 1}.` })));
    const [first, second, other] = await Promise.all([open('/'), open('/?page=2'), open('/?page=x')]);
    expect(first.body).toContain('Mail 51.');
    expect(first.body).not.toContain('Mail 1.');
    expect(second.body).toContain('Mail 1.');
    expect(other.body).toBe(first.body);
  });

  it('shows fields, HTML, text and source of a mail', async () => {
    await send({});
    const { body } = await open('/mails/1');
    for (const part of ['Hello', 'news@shop.test', 'mei@example.com', 'Hello Mei', 'src="/mails/1/html"'])
      expect(body).toContain(part);
    expect((await open('/mails/1/html')).body.trim()).toBe('<p>Hello</p>');
    expect((await open('/mails/1/source')).body).toContain('Subject: Hello\r\n');
  });

  it('escapes what senders write', async () => {
    const attack = '<img src=x onerror=alert(1)>';
    await send({ subject: attack, text: attack });
    const [list, single, search] = await Promise.all([open('/'), open('/mails/1'), open(`/?to="${attack}`)]);
    for (const { body } of [list, single, search]) expect(body).not.toContain('<img');
    expect(list.body).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(single.body).toContain('<pre>&lt;img');
  });

  it('runs no script from the HTML of a mail, neither in its frame nor at its own URL', async () => {
    await send({ html: '<script>alert(1)</script>' });
    const page = await open('/mails/1');
    expect(page.body).toMatch(/<iframe [^>]*\bsandbox src=/);
    expect(page.policy).toContain("default-src 'none'");
    for (const path of ['/mails/1/html', '/mails/1/source']) {
      expect((await open(path)).policy).toMatch(/^sandbox; default-src 'none';/);
    }
  });

  it('lists an unreadable mail among the readable ones', async () => {
    const tooDeep = Array.from(
      { length: 300 },
      (_, depth) => `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}`,
    );
    await send({ subject: 'Before' });
    await createTransport(inbox.smtpUrl).sendMail({
      envelope: { from: mail.from, to: mail.to },
      raw: `${tooDeep.join('\r\n')}\r\n`,
    });
    await send({ subject: 'After' });
    const { body } = await open('/');
    for (const part of ['Before', '(not readable)', 'After']) expect(body).toContain(part);
    expect((await open('/mails/2/source')).body).toContain('boundary=b299');
  });

  it.each(['/mails/2', '/mails/0', '/mails/1/other', '/elsewhere', '/mails/99999999999'])(
    'answers 404 for %s',
    async (path) => {
      await send({});
      expect((await open(path)).status).toBe(404);
    },
  );

  it('refuses POST requests, because it changes nothing', async () => {
    expect((await open('/', 'POST')).status).toBe(405);
  });

  it('names the option that changes the port if another process uses the port', async () => {
    const [smtp, page] = [inbox.smtpUrl, inbox.pageUrl].map((url) => Number(new URL(url).port));
    const taken = 'another process has this port already';
    await expect(startInbox(folder, { smtp: smtp ?? 0, page: 0 })).rejects.toThrow(`--smtp-port=${smtp}: ${taken}`);
    await expect(startInbox(folder, { smtp: 0, page: page ?? 0 })).rejects.toThrow(`--port=${page}: ${taken}`);
  });

  it('counts mails and recipients', async () => {
    await send({}, {}, { to: 'arif@example.com' });
    expect(inbox.mails.count).toBe(3);
    expect(inbox.mails.find('').map(({ recipient }) => recipient)).toEqual([
      'arif@example.com',
      'mei@example.com',
      'mei@example.com',
    ]);
  });
});
