import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { z } from 'zod';
import { testApiKey } from './api-deps.ts';
import { startMailServer, type MailServer } from './mail-server.ts';
import { createEmptyTestDatabase, type TestDatabase } from './postgres-database.ts';
import { startConnectors, type RunningConnectors } from './running-connectors.ts';
import { sendBatch } from './send-batch.ts';
import { startStandInMuster, type StandInMuster } from './stand-in-muster.ts';

const hostile = `<b>"Ada"</b>\r\nBcc: eve@evil.test`;

/** Variables that the action uses. */
export const mailEnvironment = { SHOP_MAIL_SECRET: 'a secret for links of thirty-two characters' };

/** An e-mail action of the connectors' file, for customers of `mailActions`. */
export const mailAction = {
  email: {
    from: 'Shop <news@shop.test>',
    subject: 'Hello {{ user.name }}',
    html: '<p>{{ user.name }}, {{ params.offer }}</p><a href="{{ unsubscribe_url }}">stop</a>',
    text: '{{ user.name }}, {{ params.offer }}',
  },
  users: { database: 'shop', query: 'select id as user_id, email, name from customers where id = any(:users);' },
  smtp: { urlEnv: 'SHOP_SMTP_URL', maxConnections: 4 },
  secretEnv: 'SHOP_MAIL_SECRET',
  unsubscribe: { url: 'https://mail.shop.test' },
  suppressionList: 'send-message',
};

export interface RunningMailAction extends RunningConnectors {
  call: (terms: MailCall) => Promise<MailAnswer>;
  request: (path: string, init?: RequestInit) => Promise<{ status: number; text: string }>;
}

export interface MailActionTerms {
  smtpUrl: string;
  /** Fields that replace those of `mailAction`. */
  action?: object;
  environment?: Record<string, string>;
  shopUrl?: string;
}

export interface MailCall {
  users: readonly string[];
  run: string;
  key?: string;
  mode?: 'live' | 'test';
  params?: object;
}

export interface MailAnswer {
  status: number;
  retryAfter: string | null;
  body: unknown;
}

/**
 * Provides e-mail actions for the test file that calls this at its top: a database of the connectors, a shop with
 * customers, and a stand-in for Muster. Everything that a test starts ends after the test.
 */
export function mailActions() {
  let store: TestDatabase;
  let shop: TestDatabase;
  let muster: StandInMuster;
  let closers: (() => unknown)[] = [];

  beforeAll(async () => {
    [store, shop, muster] = await Promise.all([
      createEmptyTestDatabase(),
      createEmptyTestDatabase(),
      startStandInMuster(),
    ]);
    await fillShop(shop.url);
  });

  beforeEach(() => {
    muster.taken.splice(0);
    muster.status = 200;
  });

  afterEach(async () => {
    for (const close of closers.toReversed()) await close();
    closers = [];
  });

  afterAll(async () => {
    muster.close();
    await Promise.all([store.drop(), shop.drop()]);
  });

  function onClose(close: () => unknown): void {
    closers.push(close);
  }

  return {
    get storeUrl(): string {
      return store.url;
    },
    get shopUrl(): string {
      return shop.url;
    },
    get muster(): StandInMuster {
      return muster;
    },
    onClose,
    queryStore: async (statement: string): Promise<object[]> => await query(store.url, statement),
    /** Starts connectors with an action `welcome`. */
    start: async ({ smtpUrl, action = {}, environment = {}, shopUrl = shop.url }: MailActionTerms) => {
      const running = await startConnectors({
        storeUrl: store.url,
        shopUrl,
        segments: {},
        actions: { welcome: { ...mailAction, ...action } },
        environment: {
          SHOP_SMTP_URL: smtpUrl,
          ...mailEnvironment,
          CONNECTORS_API_URL: muster.url,
          CONNECTORS_API_KEY: testApiKey,
          ...environment,
        },
      });
      onClose(() => running.stop());
      const url = `${running.url}/v1/actions/welcome`;
      const authorization = environment['CONNECTORS_AUTHORIZATION'] ?? '';
      const started: RunningMailAction = {
        ...running,
        call: (terms) => callMailAction(url, terms, { authorization }),
        request: async (path, init) => {
          const response = await fetch(`${url}${path}`, init);
          return { status: response.status, text: await response.text() };
        },
      };
      return started;
    },
    /** Starts a mail server that accepts mails. */
    sink: async (...terms: Parameters<typeof startMailServer>): Promise<MailServer> => {
      const server = await startMailServer(...terms);
      onClose(() => server.close());
      return server;
    },
  };
}

async function fillShop(url: string): Promise<void> {
  await query(url, 'create table customers (id text collate "C" primary key, email text, name text, nickname text)');
  await query(
    url,
    `insert into customers values
       ('u1', 'u1@good.test', 'Ada', null), ('u2', 'u2@good.test', $1, null), ('u3', 'u3@strict.test', 'Eve', null),
       ('none', null, 'None', null), ('bad', E'bad@good.test\\r\\nBcc: eve@evil.test', 'Bad', null),
       ('full', 'full@good.test', 'Full', null), ('gone', 'gone@good.test', 'Gone', null)`,
    [hostile],
  );
}

async function query(url: string, statement: string, values: string[] = []): Promise<object[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** Returns a request for the mail of a user, as Muster's API sends it. */
export function previewOf(user: string) {
  const call = { action: { type: 'welcome', params: { offer: '9 %' } }, country: 'SG', user };
  return { method: 'POST', body: JSON.stringify(call) };
}

let keys = 0;

/** @param url address of the action */
export async function callMailAction(
  url: string,
  { users, run, key = `mail-key-${++keys}`, mode = 'live', params = { offer: '5 %' } }: MailCall,
  headers: Record<string, string> = {},
): Promise<MailAnswer> {
  const action = { type: 'send-message', params };
  const answer = await sendBatch({ url: `${url}/batches`, action, run, users, key, mode, headers });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: answer.body };
}

const answered = z.object({
  results: z.array(
    z.object({ id: z.string(), status: z.string(), code: z.string().optional(), retryable: z.boolean().optional() }),
  ),
});

/** Returns a line for each result: `u1 succeeded`, or `u2 failed smtp-451 retryable`. */
export function mailResults(body: unknown): string[] {
  return answered
    .parse(body)
    .results.map(({ id, status, code, retryable }) =>
      [id, status, ...(code === undefined ? [] : [code]), ...(retryable === true ? ['retryable'] : [])].join(' '),
    );
}
