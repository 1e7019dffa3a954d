import { join } from 'node:path';
import pLimit from 'p-limit';
import { Client } from 'pg';
import { z } from 'zod';
import { startChild, type Child } from '../child.ts';
import { startConnectors, type Connectors } from '../connectors.ts';
import { startCpuMeter, withDescendants } from '../cpu.ts';
import { createDatabase } from '../own-database.ts';
import { startPostgresAlone } from '../postgres-alone.ts';
import { publishParts } from '../parts.ts';
import { median, rounded, type Row } from '../results.ts';
import { databaseSettings } from '../warm-database.ts';

/**
 * Measures e-mails per second through the connectors into a mail server that accepts everything, and the CPU per mail.
 * Batches arrive in the form that a worker sends. The shop and the connectors' store are two databases of one Postgres.
 */
const question = 'E-mails: from the first batch to the last acceptance';
/** Numbers of mails, by part. */
const sizes = { '100k': 100_000, '1m': 1_000_000 };
const quickSizes = { '100k': 5000 };
const usersPerBatch = 100;
const inFlight = 10;

const email = {
  from: 'Shop <news@shop.test>',
  subject: 'Hello {{ user.name }}, your {{ params.offer }}',
  html:
    '<html><body><p>Hello {{ user.name }},</p>{% for item in params.items %}<p>{{ item }}: {{ params.offer }}</p>' +
    '{% endfor %}<p><a href="{{ unsubscribe_url }}">stop</a></p></body></html>',
  text: 'Hello {{ user.name }}, {{ params.offer }} for {{ params.items | join: ", " }}. Stop: {{ unsubscribe_url }}',
};
const params = { offer: '5 % off', items: ['Rides', 'Meals', 'Parcels'] };

interface Round {
  mailsPerSecond: number;
  cpu: Record<string, number>;
}

interface Terms {
  rounds: number;
  quick: boolean;
  /** Name of the only part to run; undefined runs all parts. */
  only: string | undefined;
}

export async function benchmarkMail({ rounds, quick, only }: Terms): Promise<void> {
  const postgres = await startPostgresAlone(databaseSettings);
  const sink = startChild(join(import.meta.dirname, 'sink-process.ts'));
  try {
    const { url } = z.object({ url: z.string() }).parse(await sink.receive());
    const [shop, store] = [await createDatabase(postgres.databaseUrl), await createDatabase(postgres.databaseUrl)];
    await fill(shop.url, Math.max(...Object.values(quick ? quickSizes : sizes)));
    const connectors = await startMailConnectors({ shopUrl: shop.url, storeUrl: store.url, smtpUrl: url });
    try {
      const pids = {
        connectors: () => [connectors.process.pid],
        postgres: () => withDescendants(postgres.pid()),
        'mail server': () => [sink.pid],
      };
      const terms = { name: 'mail', question, parts: quick ? quickSizes : sizes, only };
      await publishParts<number>(terms, async (mails) => {
        const measured: Round[] = [];
        for (let round = 1; round <= rounds; round++) {
          const run = `run_${mails}_${round}`;
          measured.push(await measure(`${connectors.url}/v1/actions/news/batches`, sink, { mails, run, pids }));
          console.error(`${mails.toLocaleString('en')} mails, round ${round} of ${rounds}`);
        }
        return [{ title: `${mails.toLocaleString('en')} mails of two parts`, rows: [rowOf(mails, measured)] }];
      });
    } finally {
      await connectors.process.end('SIGTERM');
      await Promise.all([shop.drop(), store.drop()]);
    }
  } finally {
    await sink.stop();
    await postgres.stop();
  }
}

async function fill(url: string, users: number): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('create table customers (id text primary key, email text not null, name text not null)');
  await client.query(
    `insert into customers select 'u' || i, 'u' || i || '@domain' || i % 50 || '.test', 'Customer ' || i
     from generate_series(1, ${users}) i`,
  );
  await client.query('vacuum analyze customers');
  await client.end();
}

interface Servers {
  shopUrl: string;
  storeUrl: string;
  smtpUrl: string;
}

function startMailConnectors({ shopUrl, storeUrl, smtpUrl }: Servers): Promise<Connectors> {
  const news = {
    email,
    users: { database: 'shop', query: 'select id as user_id, email, name from customers where id = any(:users)' },
    smtp: { urlEnv: 'SMTP_SINK', maxConnections: 20 },
    secretEnv: 'MAIL_SECRET',
    unsubscribe: { url: 'https://mail.shop.test' },
    batchSeconds: 100,
  };
  const databases = { shop: { urlEnv: 'SHOP_URL', maxConnections: 10 } };
  return startConnectors({
    storeUrl,
    file: { databases, segments: {}, actions: { news } },
    environment: {
      SHOP_URL: shopUrl,
      SMTP_SINK: smtpUrl,
      MAIL_SECRET: 'a secret of the benchmark, 32 characters',
      CONNECTORS_API_URL: 'http://127.0.0.1:1',
      CONNECTORS_API_KEY: 'none',
    },
  });
}

interface Measured {
  mails: number;
  run: string;
  pids: Readonly<Record<string, () => readonly number[]>>;
}

async function measure(url: string, sink: Child, { mails, run, pids }: Measured): Promise<Round> {
  const before = await mailsIn(sink);
  const limit = pLimit(inFlight);
  const readCpu = startCpuMeter(pids);
  const beganMs = performance.now();
  const batches = Array.from({ length: mails / usersPerBatch }, (_, batch) => batch);
  await Promise.all(batches.map((batch) => limit(() => send(url, run, batch))));
  const seconds = (performance.now() - beganMs) / 1000;
  const cpu = readCpu();
  const taken = (await mailsIn(sink)) - before;
  if (taken !== mails) throw new Error(`the mail server took ${taken} mails, not ${mails}`);
  return {
    mailsPerSecond: mails / seconds,
    cpu: Object.fromEntries(Object.entries(cpu).map(([of, all]) => [of, all / mails])),
  };
}

async function send(url: string, run: string, batch: number): Promise<void> {
  const users = Array.from({ length: usersPerBatch }, (_, i) => `u${batch * usersPerBatch + i + 1}`);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'idempotency-key': `${run}-${batch}`, 'muster-attempt': '1', 'muster-mode': 'live' },
    body: JSON.stringify({
      campaign: 'cmp_1',
      run,
      step: 1,
      country: 'SG',
      batch: batch + 1,
      action: { type: 'news', params },
      users,
    }),
  });
  const body = await response.text();
  if (response.status !== 202 || body.includes('"failed"'))
    throw new Error(`${response.status}: ${body.slice(0, 500)}`);
}

async function mailsIn(sink: Child): Promise<number> {
  return z.object({ mails: z.number() }).parse(await sink.ask('mails')).mails;
}

function rowOf(mails: number, rounds: readonly Round[]): Row {
  const middle = (of: (round: Round) => number) => rounded(median(rounds.map(of)));
  const cpuOf = (name: string) => middle(({ cpu }) => cpu[name] ?? 0);
  return {
    mails: mails.toLocaleString('en'),
    'mails/s': middle(({ mailsPerSecond }) => mailsPerSecond),
    'connectors µs per mail': cpuOf('connectors'),
    'Postgres µs per mail': cpuOf('postgres'),
    'mail server µs per mail': cpuOf('mail server'),
  };
}
