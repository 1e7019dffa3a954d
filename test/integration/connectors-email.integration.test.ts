import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { previewedMessage, previewRefusal } from '../../shared/contracts/endpoints/message-previews.ts';
import { signatureHeaders, webhookKeyOf } from '../../shared/domain/endpoint/standard-webhooks.ts';
import { runMuster } from '../../cli/test-muster.ts';
import { mailAction, mailActions, mailResults, previewOf } from '../support/mail-actions.ts';
import { headerOf, mailTo } from '../support/mail-server.ts';
import { startMariaDb, type MariaDb } from '../support/mariadb.ts';
import { someSigningSecret } from '../support/registered-type-at.ts';

const mails = mailActions();
let mariaDb: MariaDb;

beforeAll(async () => {
  mariaDb = await startMariaDb();
  await mariaDb.run(
    'create table customers (id varbinary(256) primary key, email varchar(254), name text)',
    `insert into customers values ('u1', 'u1@maria.test', 'Ada')`,
  );
});

afterAll(() => mariaDb.end());

describe('an e-mail action', () => {
  it('keeps all promises of class B, and sends each user one mail', async () => {
    const server = await mails.sink();
    const query = `select u as user_id, md5(u) || '@good.test' as email, 'Ada' as name from unnest(:users) u`;
    const running = await mails.start({ smtpUrl: server.url, action: { users: { database: 'shop', query } } });
    const url = `${running.url}/v1/actions/welcome/batches`;
    const args = ['check-endpoint', url, '--class', 'B', '--params', '{"offer":"5 %"}'];
    const { code, out } = await runMuster(args, { environment: {} });
    expect(out).toContain('keeps the contract of class B, as far as it was played\n');
    expect(code).toBe(0);
    const ids = server.received.map((mail) => headerOf(mail, 'Message-ID'));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('renders the mail of each user, and fails users without a mail with a code', async () => {
    const server = await mails.sink();
    const { call } = await mails.start({ smtpUrl: server.url });
    const users = ['u1', 'none', 'bad', 'nobody'];
    const { status, body } = await call({ users, run: 'render' });
    expect(status).toBe(202);
    expect(mailResults(body)).toEqual([
      'u1 succeeded',
      'none failed no-address',
      'bad failed invalid-address',
      'nobody failed no-such-user',
    ]);
    expect(server.received).toHaveLength(1);
    const mail = mailTo(server, 'u1@good.test');
    expect(headerOf(mail, 'Subject')).toBe('Hello Ada');
    expect(mail.text).toContain('Ada, 5 %');
  });

  it('lets no value of a user add a header or markup', async () => {
    const server = await mails.sink();
    const { call } = await mails.start({ smtpUrl: server.url });
    await call({ users: ['u2'], run: 'hostile' });
    const mail = mailTo(server, 'u2@good.test');
    expect(mail.to).toEqual(['u2@good.test']);
    expect(headerOf(mail, 'Bcc')).toBeUndefined();
    expect(mail.text).not.toContain('<p><b>');
    expect(mail.text).toContain('&lt;b&gt;');
  });

  it('sends the other users their mail if the template fails for one user', async () => {
    const server = await mails.sink();
    const email = { ...mailAction.email, text: '{% if user.id == "u1" %}{{ user.nickname }}{% endif %}Hello' };
    const { call } = await mails.start({ smtpUrl: server.url, action: { email } });
    const { body } = await call({ users: ['u1', 'u2'], run: 'template' });
    expect(mailResults(body)).toEqual(['u1 failed template-failed', 'u2 succeeded']);
    expect(server.received).toHaveLength(1);
  });

  it('fails only the user whose template fails among a thousand, and sends each other user one mail', async () => {
    const server = await mails.sink();
    const query = `select u as user_id, u || '@good.test' as email, 'Ada' as name from unnest(:users) u`;
    const email = { ...mailAction.email, text: '{% if user.id == "u700" %}{{ user.nickname }}{% endif %}Hello' };
    const { call } = await mails.start({
      smtpUrl: server.url,
      // On a busy machine, a thousand mails take longer than the default time of a batch.
      action: { email, users: { database: 'shop', query }, batchSeconds: 100 },
    });
    const users = Array.from({ length: 1000 }, (_, place) => `u${place}`);
    const batches = [0, 250, 500, 750].map((first) => ({
      users: users.slice(first, first + 250),
      run: 'thousand',
      key: `thousand-${first}`,
    }));
    for (const attempt of ['first', 'repeat']) {
      const answers = await Promise.all(batches.map((batch) => call(batch)));
      expect(
        answers.flatMap(({ body }) => mailResults(body)),
        attempt,
      ).toEqual(users.map((user) => (user === 'u700' ? 'u700 failed template-failed' : `${user} succeeded`)));
      expect(JSON.stringify(answers[2]?.body)).toContain('undefined variable: user.nickname');
    }
    const received = server.received.map(({ to }) => to[0]?.replace('@good.test', ''));
    expect(received.toSorted()).toEqual(users.filter((user) => user !== 'u700').toSorted());
  });

  it('answers a repeat with the first answer, and sends a user no second mail under another key', async () => {
    const server = await mails.sink((address) => (address.startsWith('full') ? '452 mailbox full' : undefined));
    const { call } = await mails.start({ smtpUrl: server.url });
    const terms = { users: ['u1', 'full', 'none'], run: 'repeat', key: 'repeat-1' };
    const first = await call(terms);
    expect(mailResults(first.body)).toEqual([
      'u1 succeeded',
      'full failed smtp-452 retryable',
      'none failed no-address',
    ]);
    expect(await call(terms)).toEqual(first);
    expect(await call({ ...terms, users: ['u1'] })).toMatchObject({ status: 422, body: { code: 'key-reused' } });
    const other = await call({ ...terms, users: ['u1', 'none', 'u2'], key: 'repeat-2' });
    expect(mailResults(other.body)).toEqual(['u1 succeeded', 'none failed no-address', 'u2 succeeded']);
    expect(server.received.map(({ to }) => to[0])).toEqual(['u1@good.test', 'u2@good.test']);
  });

  it('sends nothing in a test, and answers as if live', async () => {
    const server = await mails.sink();
    const { call } = await mails.start({ smtpUrl: server.url });
    const users = ['u1', 'none'];
    const tested = await call({ users, run: 'test', mode: 'test' });
    expect(server.received).toEqual([]);
    expect(tested.body).toEqual((await call({ users, run: 'test' })).body);
  });

  it('reads addresses from MariaDB too', async () => {
    const server = await mails.sink();
    const query = 'select id as user_id, email, name from customers where id in (:users)';
    const { call } = await mails.start({
      smtpUrl: server.url,
      shopUrl: mariaDb.url,
      action: { users: { database: 'shop', query } },
    });
    const { body } = await call({ users: ['u1', 'u9'], run: 'maria' });
    expect(mailResults(body)).toEqual(['u1 succeeded', 'u9 failed no-such-user']);
    expect(server.received[0]?.to).toEqual(['u1@maria.test']);
  });

  it.each([
    ['refuses the query', 'select id as user_id, email from nowhere where id = any(:users)'],
    ['returns no user_id', 'select id, email from customers where id = any(:users)'],
    ['returns no address', 'select id as user_id from customers where id = any(:users)'],
  ])('holds the step if the database %s', async (_, query) => {
    const server = await mails.sink();
    const { call } = await mails.start({ smtpUrl: server.url, action: { users: { database: 'shop', query } } });
    const { status, body } = await call({ users: ['u1'], run: 'misconfigured' });
    expect(status).toBe(501);
    expect(body).toMatchObject({ code: 'misconfigured' });
  });

  it('leaves the call for a repeat if the database is unavailable', async () => {
    const { call, request } = await mails.start({
      smtpUrl: 'smtp://127.0.0.1:1',
      shopUrl: 'postgres://shop@127.0.0.1:1/shop',
    });
    const answer = await call({ users: ['u1'], run: 'no-database' });
    expect(answer).toMatchObject({ status: 503, retryAfter: '5', body: { code: 'look-up-failed' } });
    expect(await request('/preview', previewOf('u1'))).toMatchObject({ status: 503 });
  });

  it('leaves the call for a repeat if the look-up is too slow, and sends no mail', async () => {
    const server = await mails.sink();
    const query = 'select id as user_id, email, name from customers where id = any(:users)';
    const slow = await mails.start({
      smtpUrl: server.url,
      action: { users: { database: 'shop', query: `${query} and exists (select 1 from pg_sleep(60))` } },
    });
    const terms = { users: ['u1', 'u2'], run: 'slow', key: 'slow-1' };
    const answer = await slow.call(terms);
    expect(answer).toMatchObject({ status: 503, retryAfter: '5', body: { code: 'look-up-failed' } });
    expect(JSON.stringify(answer.body)).toContain('statement timeout');
    const { call } = await mails.start({ smtpUrl: server.url });
    expect(mailResults((await call(terms)).body)).toEqual(['u1 succeeded', 'u2 succeeded']);
    expect(server.received).toHaveLength(2);
  });

  it('shows the mail of one user before it is sent, with a link that does nothing', async () => {
    const server = await mails.sink();
    const { request } = await mails.start({ smtpUrl: server.url });
    const preview = await request('/preview', previewOf('u1'));
    expect(previewedMessage.parse(JSON.parse(preview.text))).toMatchObject({
      to: 'u1@good.test',
      subject: 'Hello Ada',
      text: 'Ada, 9 %',
      html: '<p>Ada, 9 %</p><a href="https://mail.shop.test/v1/actions/welcome/unsubscribe/preview">stop</a>',
    });
    const refused = await request('/preview', previewOf('none'));
    expect(refused.status).toBe(422);
    expect(previewRefusal.parse(JSON.parse(refused.text))).toMatchObject({ code: 'no-address' });
    expect(await request('/preview', { method: 'POST', body: '{"user":"u1"}' })).toMatchObject({ status: 400 });
    expect(server.received).toEqual([]);
  });

  it('shows a mail only to signed requests, if batches have to be signed', async () => {
    const server = await mails.sink();
    const CONNECTORS_SIGNING_SECRET = someSigningSecret;
    const { request } = await mails.start({ smtpUrl: server.url, environment: { CONNECTORS_SIGNING_SECRET } });
    const preview = previewOf('u1');
    const refused = await request('/preview', preview);
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([401, { code: 'bad-signature' }]);
    const key = webhookKeyOf(someSigningSecret) ?? expect.fail('the secret is no key');
    const signed = signatureHeaders(key, 'preview-1', new Date(), Buffer.from(preview.body));
    const headers = Object.fromEntries(signed.flatMap((name, at) => (at % 2 === 0 ? [[name, signed[at + 1]]] : [])));
    expect(await request('/preview', { ...preview, headers })).toMatchObject({ status: 200 });
  });
});
