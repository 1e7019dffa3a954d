import { describe, expect, it } from 'vitest';
import { testApiKey } from '../support/api-deps.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { mailActions, mailEnvironment, previewOf } from '../support/mail-actions.ts';
import { headerOf, mailTo, type ReceivedMail } from '../support/mail-server.ts';

const on = apiOnPostgres({ begun: 'once' });
const mails = mailActions();
let links = 0;

/** Returns the path of the link behind that of the action. */
function linkIn(mail: ReceivedMail): string {
  const [, path = ''] =
    /<https:\/\/mail\.shop\.test\/v1\/actions\/welcome(.*)>/.exec(headerOf(mail, 'List-Unsubscribe') ?? '') ?? [];
  return path;
}

describe('the unsubscribe link of a mail', () => {
  async function sentMail(environment = {}) {
    const server = await mails.sink();
    const running = await mails.start({ smtpUrl: server.url, environment });
    await running.call({ users: ['u1'], run: `link-${++links}` });
    return { ...running, mail: mailTo(server, 'u1@good.test') };
  }

  it('works by one click in a mail program, without the Authorization header of the connectors', async () => {
    const { request, mail } = await sentMail();
    expect(headerOf(mail, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const clicked = await request(linkIn(mail), { method: 'POST', headers: form, body: 'List-Unsubscribe=One-Click' });
    expect(clicked.status).toBe(200);
    await expect
      .poll(() => mails.muster.taken)
      .toEqual([
        { path: '/v1/suppressions', body: { actionType: 'send-message', users: ['u1'], note: 'unsubscribed' } },
      ]);
  });

  it('stays valid after a change of the secret if the former secret is configured', async () => {
    const { mail } = await sentMail();
    const server = await mails.sink();
    const former = mailEnvironment.SHOP_MAIL_SECRET;
    const environment = { SHOP_MAIL_SECRET: `${former}, the second`, SHOP_FORMER_SECRET: former };
    const click = { method: 'POST' };
    const renewed = await mails.start({ smtpUrl: server.url, environment });
    expect(await renewed.request(linkIn(mail), click)).toMatchObject({ status: 404 });
    const action = { formerSecretEnv: 'SHOP_FORMER_SECRET' };
    const rotated = await mails.start({ smtpUrl: server.url, environment, action });
    expect(await rotated.request(linkIn(mail), click)).toMatchObject({ status: 200 });
    await expect.poll(() => mails.muster.taken).toHaveLength(1);
  });

  it('shows a form for confirmation if a scanner or a reader opens the link', async () => {
    const { request, mail, url } = await sentMail({ CONNECTORS_AUTHORIZATION: 'Bearer of-the-connectors' });
    const opened = await fetch(`${url}/v1/actions/welcome${linkIn(mail)}`);
    expect(opened.status).toBe(200);
    expect(opened.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await opened.text()).toContain('<form method="post">');
    expect(await request('/preview', previewOf('u1'))).toMatchObject({ status: 401 });
    expect(await request('/bounces', { method: 'POST' })).toMatchObject({ status: 401 });
    expect(mails.muster.taken).toEqual([]);
  });

  it('is refused if it was changed or is malformed', async () => {
    const { request, mail } = await sentMail();
    const [, signature = ''] = linkIn(mail).split('.');
    const other = Buffer.from(JSON.stringify(['link', 1, 'SG', 'u2'])).toString('base64url');
    for (const token of [`${other}.${signature}`, 'x', 'x.y'])
      expect(await request(`/unsubscribe/${token}`, { method: 'POST' })).toMatchObject({ status: 404 });
    expect(mails.muster.taken).toEqual([]);
  });

  it('puts the user on the suppression list of Muster', async () => {
    const api = { CONNECTORS_API_URL: await on.start(), CONNECTORS_API_KEY: testApiKey };
    const { request, mail } = await sentMail(api);
    expect(await request(linkIn(mail), { method: 'POST' })).toMatchObject({ status: 200 });
    await expect
      .poll(async () => {
        const response = await on.api.server.inject({
          url: '/v1/suppressions/users/u1',
          headers: { authorization: `Bearer ${testApiKey}` },
        });
        return response.json<unknown>();
      })
      .toMatchObject({ lists: [{ actionType: 'send-message', note: 'unsubscribed' }] });
  });

  it('stores the opt-out of the user until Muster accepts it', async () => {
    const { request, mail } = await sentMail();
    mails.muster.status = 503;
    expect(await request(linkIn(mail), { method: 'POST' })).toMatchObject({ status: 200 });
    expect(await mails.queryStore('select user_id, list, note from connectors.mail_reports')).toEqual([
      { user_id: 'u1', list: 'send-message', note: 'unsubscribed' },
    ]);
    mails.muster.status = 200;
    // Another click starts the next attempt at once.
    await request(linkIn(mail), { method: 'POST' });
    await expect.poll(() => mails.muster.taken.length).toBe(1);
  });
});

describe('a report of a bounce', () => {
  async function sent(run: string) {
    const server = await mails.sink();
    const running = await mails.start({ smtpUrl: server.url });
    await running.call({ users: ['u1', 'u2'], run });
    const idOf = (address: string) => headerOf(mailTo(server, address), 'Message-ID') ?? '';
    const post = (type: string, body: string) =>
      running.request('/bounces', { method: 'POST', headers: { 'content-type': type }, body });
    return { idOf, post };
  }

  function report(messageId: string, status: string): string {
    return [
      'From: MAILER-DAEMON@mx.test',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b1',
      'MIME-Version: 1.0',
      '',
      '--b1',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.test',
      '',
      `Final-Recipient: rfc822; u1@good.test`,
      'Action: failed',
      `Status: ${status}`,
      '',
      '--b1',
      'Content-Type: text/rfc822-headers',
      '',
      `Message-ID: ${messageId}`,
      '--b1--',
      '',
    ].join('\r\n');
  }

  const receiptFor = (user: string, run: string, more: object) => ({
    path: '/v1/receipts',
    body: { receipts: [{ run, step: 1, country: 'SG', user, at: expect.any(String) as unknown, ...more }] },
  });
  const suppressionOf = (user: string, note: string) => ({
    path: '/v1/suppressions',
    body: { actionType: 'send-message', users: [user], note },
  });

  it('becomes a receipt and a suppression if the mailbox does not exist', async () => {
    const { idOf, post } = await sent('hard');
    const { status, text } = await post('message/rfc822', report(idOf('u1@good.test'), '5.1.1'));
    expect([status, JSON.parse(text)]).toEqual([202, { accepted: 1, unknown: 0 }]);
    await expect.poll(() => mails.muster.taken.length).toBe(2);
    expect(mails.muster.taken).toEqual(
      expect.arrayContaining([
        receiptFor('u1', 'hard', { status: 'undelivered', code: '5.1.1' }),
        suppressionOf('u1', 'hard bounce'),
      ]),
    );
  });

  it('becomes only a receipt if the mailbox is full', async () => {
    const { idOf, post } = await sent('soft');
    await post('message/rfc822', report(idOf('u1@good.test'), '5.2.2'));
    await expect
      .poll(() => mails.muster.taken)
      .toEqual([receiptFor('u1', 'soft', { status: 'undelivered', code: '5.2.2' })]);
  });

  it('is read from the events of a provider too', async () => {
    const { idOf, post } = await sent('events');
    const events = [
      { messageId: idOf('u1@good.test'), event: 'complaint' },
      { messageId: idOf('u2@good.test'), event: 'delivered' },
      { messageId: '<forged@shop.test>', event: 'hard-bounce' },
    ];
    const { status, text } = await post('application/json', JSON.stringify({ events }));
    expect([status, JSON.parse(text)]).toEqual([202, { accepted: 2, unknown: 1 }]);
    await expect.poll(() => mails.muster.taken.length).toBe(2);
    expect(mails.muster.taken).toContainEqual(suppressionOf('u1', 'complaint'));
    const receipts = mails.muster.taken.find(({ path }) => path === '/v1/receipts')?.body;
    expect(receipts).toMatchObject({
      receipts: [
        { user: 'u1', status: 'delivered', code: 'complaint' },
        { user: 'u2', status: 'delivered' },
      ],
    });
  });

  it('has no effect without the id of a mail that the connectors have sent', async () => {
    const { idOf, post } = await sent('forged');
    const [payload] = idOf('u1@good.test').split('.');
    const forged = `${payload}.${'A'.repeat(22)}@shop.test>`;
    const { text } = await post('message/rfc822', report(forged, '5.1.1'));
    expect(JSON.parse(text)).toEqual({ accepted: 0, unknown: 1 });
    expect(await post('text/plain', 'x')).toMatchObject({ status: 415 });
    expect(await post('application/json', '{')).toMatchObject({ status: 400 });
    expect(mails.muster.taken).toEqual([]);
  });
});
