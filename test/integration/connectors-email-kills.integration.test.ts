import { text } from 'node:stream/consumers';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testApiKey } from '../support/api-deps.ts';
import { createConnectorsProcess, type ConnectorsProcess } from '../support/connectors-process.ts';
import { lockWaits, untilOneWaits } from '../support/lock-waits.ts';
import { callMailAction, mailAction, mailActions, mailEnvironment, mailResults } from '../support/mail-actions.ts';
import { headerOf, type ReceivedMail } from '../support/mail-server.ts';
import { openTestPool } from '../support/test-pool.ts';

const mails = mailActions();
const users = ['u1', 'u2', 'full'];

let connectors: ConnectorsProcess | undefined;
let pool: pg.Pool;
/** Mails that the server has accepted. */
let taken: ReceivedMail[];
/** Called with each mail after it was accepted, and before the server's answer. */
let onTaken: () => Promise<unknown>;

beforeEach(() => {
  taken = [];
  onTaken = () => Promise.resolve();
  pool = openTestPool({ connectionString: mails.storeUrl });
});

afterEach(async () => {
  await connectors?.close();
  await pool.end();
});

/** Starts a process that sends one mail at a time. Returns the address of its action. */
async function start(more: object): Promise<string> {
  const server = await mails.sink(undefined, {
    onData: (stream, { envelope }, done) => {
      const to = envelope.rcptTo.map(({ address }) => address);
      void text(stream)
        .then((content) => taken.push({ from: '', to, text: content }))
        .then(() => onTaken())
        .then(() => done());
    },
  });
  const smtp = { ...mailAction.smtp, maxConnections: 1 };
  connectors = await createConnectorsProcess({
    storeUrl: mails.storeUrl,
    file: {
      databases: { shop: { urlEnv: 'SHOP_URL' } },
      segments: {},
      actions: { welcome: { ...mailAction, smtp, ...more } },
    },
    environment: {
      ...mailEnvironment,
      SHOP_URL: mails.shopUrl,
      SHOP_SMTP_URL: server.url,
      CONNECTORS_API_URL: mails.muster.url,
      CONNECTORS_API_KEY: testApiKey,
    },
  });
  await connectors.start();
  return `${connectors.url}/v1/actions/welcome`;
}

async function kill(): Promise<void> {
  connectors?.signal('SIGKILL');
  await connectors?.exited();
}

/** Kills the process before it can read the server's answer. */
async function killBeforeTheAnswer(): Promise<void> {
  onTaken = kill;
  await Promise.resolve();
}

/** Kills the process after it has read the server's answer, and while its database stores the result. */
async function killWhileStoring(): Promise<void> {
  const lock = await pool.connect();
  onTaken = () => lock.query('begin; lock table connectors.results in exclusive mode');
  void untilOneWaits(pool)
    .then(kill)
    // Otherwise the database session of the killed process would still store the result.
    .then(() => pool.query(`select pg_terminate_backend(pid, 10000) from ${lockWaits}`))
    .then(() => lock.query('rollback'))
    .finally(() => lock.release());
  await Promise.resolve();
}

const moments = [
  { moment: 'before the answer of the mail server', prepare: killBeforeTheAnswer },
  { moment: 'while it stores the result', prepare: killWhileStoring },
];
const policies = [
  { onLostAnswer: 'unknown', afterwards: ['u2 succeeded', 'full succeeded'], mailsToFirst: 1 },
  { onLostAnswer: 'send-again', afterwards: ['u1 succeeded', 'u2 succeeded', 'full succeeded'], mailsToFirst: 2 },
];

describe('an e-mail action whose process is killed after the mail server has taken a mail', () => {
  it.each(moments.flatMap((each) => policies.map((policy) => ({ ...each, ...policy }))))(
    'leaves only that mail in doubt: killed $moment, $onLostAnswer',
    async ({ moment, prepare, onLostAnswer, afterwards, mailsToFirst }) => {
      const url = await start({ onLostAnswer });
      const run = `${moment}-${onLostAnswer}`;
      const terms = { users, run, key: run.replaceAll(' ', '-') };
      await prepare();
      await expect(callMailAction(url, terms)).rejects.toThrow();
      expect(taken.map(({ to }) => to)).toEqual([['u1@good.test']]);

      onTaken = () => Promise.resolve();
      await connectors?.start();
      const early = await callMailAction(url, terms);
      expect(early).toMatchObject({ status: 409, retryAfter: '1', body: { code: 'in-progress' } });
      await pool.query('update connectors.results set lease_until = now() where run = $1', [run]);
      for (const repeat of [terms, terms, { users, run }])
        expect(mailResults((await callMailAction(url, repeat)).body)).toEqual(afterwards);

      const toFirst = taken.filter(({ to }) => to.includes('u1@good.test'));
      expect(toFirst).toHaveLength(mailsToFirst);
      expect(new Set(toFirst.map((mail) => headerOf(mail, 'Message-ID'))).size).toBe(1);
      expect(taken).toHaveLength(mailsToFirst + 2);
    },
  );
});
