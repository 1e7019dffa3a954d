import { describe, expect, it } from 'vitest';
import { mailAction, mailActions, mailResults } from '../support/mail-actions.ts';
import { startScriptedMailServer, takingAnswer } from '../support/mail-server.ts';

const mails = mailActions();

describe('the mail server of an e-mail action', () => {
  it('delays no domain by its refusals for another domain', async () => {
    const server = await mails.sink((address) => (address.endsWith('@strict.test') ? '451 slow down' : undefined));
    const query = `select u as user_id, u || case when u like 's%' then '@strict.test' else '@good.test' end as email,
      'Ada' as name from unnest(:users) u`;
    const { call } = await mails.start({
      smtpUrl: server.url,
      action: {
        users: { database: 'shop', query },
        smtp: { ...mailAction.smtp, maxConnections: 1 },
        perDomain: { pauseAfterRefusals: 2, pauseSeconds: 600 },
      },
    });
    const first = await call({ users: ['s1', 's2', 's3', 'g1'], run: 'domains' });
    expect(mailResults(first.body)).toEqual([
      's1 failed smtp-451 retryable',
      's2 failed smtp-451 retryable',
      's3 failed smtp-451 retryable',
      'g1 succeeded',
    ]);
    const second = await call({ users: ['s4', 'g2'], run: 'domains' });
    expect(mailResults(second.body)).toEqual(['s4 failed domain-paused retryable', 'g2 succeeded']);
    const third = await call({ users: ['s4'], run: 'domains' });
    expect(third).toMatchObject({ status: 503, retryAfter: '5', body: { code: 'domain-paused' } });
  });

  it('fails users of a domain that it refuses, pauses the domain, and sends all other users one mail each', async () => {
    const refusalOf = (address: string) =>
      address.endsWith('@strict.test') ? '554 5.7.1 mails from you are not accepted' : undefined;
    const server = await mails.sink(refusalOf);
    const query = `select u as user_id, u || case when u like 's%' then '@strict.test' else '@good.test' end as email,
      'Ada' as name from unnest(:users) u`;
    const { call } = await mails.start({
      smtpUrl: server.url,
      action: {
        users: { database: 'shop', query },
        smtp: { ...mailAction.smtp, maxConnections: 1 },
        perDomain: { pauseAfterRefusals: 2, pauseSeconds: 600 },
      },
    });
    const terms = { users: ['s1', 's2', 'g1'], run: 'policy', key: 'policy-1' };
    const first = await call(terms);
    expect(mailResults(first.body)).toEqual(['s1 failed smtp-554', 's2 failed smtp-554', 'g1 succeeded']);
    expect(JSON.stringify(first.body)).toContain('554 5.7.1 mails from you are not accepted');
    expect(await call(terms)).toEqual(first);
    const second = await call({ users: ['s1', 's3', 'g1', 'g2'], run: 'policy' });
    expect(mailResults(second.body)).toEqual([
      's1 failed smtp-554',
      's3 failed domain-paused retryable',
      'g1 succeeded',
      'g2 succeeded',
    ]);
    expect(server.received.map(({ to }) => to[0])).toEqual(['g1@good.test', 'g2@good.test']);
    // The server refuses the sender by its policy, so these mailboxes are not suppressed.
    expect(mails.muster.taken).toEqual([]);
  });

  it('fails users permanently if their mailbox does not exist, and puts them on the suppression list', async () => {
    const server = await mails.sink((address) => (address.startsWith('gone') ? '550 5.1.1 no such user' : undefined));
    const { call } = await mails.start({ smtpUrl: server.url });
    const { body } = await call({ users: ['gone', 'u1'], run: 'gone' });
    expect(mailResults(body)).toEqual(['gone failed smtp-550', 'u1 succeeded']);
    await expect
      .poll(() => mails.muster.taken)
      .toEqual([
        { path: '/v1/suppressions', body: { actionType: 'send-message', users: ['gone'], note: 'hard bounce' } },
      ]);
  });

  it('leaves calls for a repeat while it is unavailable, and none of their mails is lost', async () => {
    const server = await mails.sink();
    const { call } = await mails.start({ smtpUrl: server.url });
    await server.close();
    const terms = { users: ['u1', 'u2'], run: 'away', key: 'away-1' };
    expect(await call(terms)).toMatchObject({ status: 503, retryAfter: '5', body: { code: 'smtp-unavailable' } });
    const { port } = new URL(server.url);
    const again = await mails.sink(undefined, { closeTimeout: 100 }, Number(port));
    expect(mailResults((await call(terms)).body)).toEqual(['u1 succeeded', 'u2 succeeded']);
    expect(again.received).toHaveLength(2);
  });

  it.each([
    ['unknown', ['u2 succeeded'], 1],
    ['send-again', ['u1 succeeded', 'u2 succeeded'], 2],
  ])(
    'leaves a mail in doubt if it becomes unavailable after the mail: %s',
    async (onLostAnswer, afterwards, mailsToU1) => {
      let mailsToFirst = 0;
      const server = await startScriptedMailServer((line, recipient) => {
        if (line !== '.' || !recipient.startsWith('u1')) return takingAnswer(line);
        mailsToFirst++;
        return mailsToFirst === 1 ? undefined : '250 ok';
      });
      mails.onClose(() => server.close());
      const { call } = await mails.start({ smtpUrl: server.url, action: { onLostAnswer } });
      const terms = { users: ['u1', 'u2'], run: `lost-${onLostAnswer}`, key: `lost-${onLostAnswer}` };
      expect(mailResults((await call(terms)).body)).toEqual(['u2 succeeded']);
      expect(mailResults((await call(terms)).body)).toEqual(afterwards);
      expect(mailsToFirst).toBe(mailsToU1);
    },
  );

  it('leaves a mail in doubt if it refuses a repeat of a mail that it may have accepted', async () => {
    const answers = [undefined, '451 later', '550 5.1.1 no such user', '250 ok'];
    const server = await startScriptedMailServer((line) => (line === '.' ? answers.shift() : takingAnswer(line)));
    mails.onClose(() => server.close());
    const { call } = await mails.start({ smtpUrl: server.url, action: { onLostAnswer: 'send-again' } });
    const terms = { users: ['u1'], run: 'doubt', key: 'doubt-1' };
    const results: string[][] = [];
    for (let attempt = 1; attempt <= 4; attempt++) results.push(mailResults((await call(terms)).body));
    expect(results).toEqual([[], [], [], ['u1 succeeded']]);
    expect(mails.muster.taken).toEqual([]);
  });

  it('gets no more mails for a domain than the rate of that domain allows', async () => {
    const server = await mails.sink();
    const { call } = await mails.start({
      smtpUrl: server.url,
      action: { perDomain: { perSecondOf: { 'good.test': 0.001 } }, batchSeconds: 1 },
    });
    const { body } = await call({ users: ['u1', 'u2', 'u3'], run: 'rate' });
    expect(mailResults(body)).toEqual(['u1 succeeded', 'u2 failed domain-rate-limited retryable', 'u3 succeeded']);
  });
});
