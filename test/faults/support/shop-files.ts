import type { EngineConfigFile } from '../../e2e/engine-config.ts';

/** Calls of each action that are under way at once. */
export const callsAtOnce = 4;
/** Mails that one call sends at once. */
export const mailsOfCall = 4;
const batchUsers = 50;

/** Returns the connectors' file. @param concurrency requests of each process to the API at once */
export function connectorsFileOf(apiUrl: string, concurrency: number): object {
  return {
    databases: { shop: { urlEnv: 'SHOP_URL', maxConnections: 20 } },
    segments: {
      customers: { name: 'Customers', database: 'shop', query: 'select id as user_id, country from customers' },
    },
    actions: {
      'award-points': {
        database: 'shop',
        statements: [
          `insert into points (run, user_id, points)
           select :run, c.id, (:params->>'points')::int from customers c where c.id = any(:users) and not c.is_blocked
           returning user_id`,
        ],
        failureCode: 'blocked',
      },
      'grant-miles': {
        call: {
          url: `${apiUrl}/members/{{user}}`,
          headersEnv: { 'x-instance': 'SHOP_INSTANCE' },
          idempotencyHeader: 'idempotency-key',
          recognizesRepeats: true,
          answers: [{ status: 422, is: 'failed', code: 'no-such-member' }],
          concurrency,
        },
      },
      'send-news': {
        email: {
          from: 'Shop <news@shop.test>',
          subject: 'Hello {{ user.name }}',
          text: '{{ user.name }}: {{ params.offer }}',
        },
        users: { database: 'shop', query: 'select id as user_id, email, name from customers where id = any(:users)' },
        smtp: { urlEnv: 'SHOP_SMTP_URL', maxConnections: mailsOfCall, timeoutSeconds: 10 },
        secretEnv: 'SHOP_MAIL_SECRET',
      },
    },
  };
}

/** Returns the engine's file, with the connectors at `url`. */
export function engineConfigOf(config: EngineConfigFile, url: string): EngineConfigFile {
  const usual = {
    answerForm: 'full' as const,
    timeoutMs: 15_000,
    concurrency: callsAtOnce,
    batchSize: batchUsers,
    retry: { firstDelayMs: 200, maxDelayMs: 2000 },
  };
  const batches = (action: string) => `${url}/v1/actions/${action}/batches`;
  return {
    ...config,
    segmentation: { url, pageSize: 1000 },
    actionTypes: {
      'award-points': { ...usual, url: batches('award-points'), class: 'A' },
      'grant-miles': { ...usual, url: batches('grant-miles'), class: 'A' },
      'send-news': { ...usual, url: batches('send-news'), class: 'B', receipts: true },
    },
  };
}
