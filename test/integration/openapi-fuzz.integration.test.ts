import { beforeAll, describe, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { campaignDefinition } from '../../shared/contracts/campaigns/campaigns.ts';
import { apiDocument } from '../../services/api/api-document.ts';
import { digestOfApiKey } from '../../shared/runtime/installation/api-key-secret.ts';
import { someCampaign } from '../support/api-deps.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { createJudge, type JudgeAnswer } from '../support/fuzz/judge-answer.ts';
import { operationsOf, readDocument, type Operation } from '../support/fuzz/operations.ts';
import { requestsFor, type FuzzRequest } from '../support/fuzz/request-arbitraries.ts';
import { createSender, type Sender } from '../support/fuzz/send-request.ts';
import { fc } from '../support/properties.ts';
import { routeTable } from '../support/route-table.ts';

/**
 * Requests that fit the OpenAPI document and requests that do not, to each of its operations, whose answers have to be
 * what it declares. A failure names the seed that `FUZZ_SEED` takes, with which all are sent again; `FUZZ_RUNS` sends more to
 * each.
 */
const { FUZZ_SEED, FUZZ_RUNS = '8' } = process.env;
const numRuns = Number(FUZZ_RUNS);
const seed = FUZZ_SEED === undefined ? {} : { seed: Number(FUZZ_SEED) };

const on = apiOnPostgres({ begun: 'once' });
const operations = operationsOf(readDocument(await apiDocument()));
let sender: Sender;
let judge: JudgeAnswer;
let document: ReturnType<typeof readDocument>;
/** Operations of which some request was carried out. */
const accepted = new Set<string>();

const nameOf = ({ method, path }: Operation) => `${method} ${path}`;
const asksForKey = ({ security }: Operation) => security?.length !== 0;

/** What the installation has. */
const words = {
  inPaths: {
    name: ['award-reward', 'night'],
    id: ['shop'],
    shard: ['award-reward.SG', 'send-message.ID'],
    region: ['local'],
    userId: ['u1', 'é/ü'],
  },
  elsewhere: {
    client: ['shop'],
    clientId: ['@cli:0'],
    country: ['SG', 'ID'],
    countries: ['SG'],
    group: ['night'],
    groups: ['night'],
    workCalendar: ['night'],
    zone: ['Asia/Singapore', 'Asia/Kuala_Lumpur', 'Pacific/Apia'],
    action: ['award-reward', 'send-message'],
    region: ['local'],
    cron: ['0 9 * * *', '0 0 29 2 *', '30 2 * * SUN'],
    runId: ['@run:0'],
    runs: ['@run:0', ''],
    campaignId: ['@cmp:0'],
    list: ['@aud:0'],
  },
};

beforeAll(async () => {
  const response = await on.api.server.inject('/openapi.json');
  document = readDocument(response.json());
  judge = createJudge(document);
  sender = createSender(on.api.server, async () => {
    const secret = `muster_${randomUUID()}`;
    await on.deps.apiKeys.add({ name: 'fuzz', digest: digestOfApiKey(secret), role: 'operator' });
    return secret;
  });
  await begin();
});

/** Some of everything that there can be. */
async function begin(): Promise<void> {
  const target = { client: 'shop', url: 'https://shop.example.com/hook' };
  await made('POST', '/v1/clients', { name: 'shop' });
  await made('POST', '/v1/clients/shop/endpoints', { name: 'returns', url: target.url });
  await made('PUT', '/v1/groups/night', { countries: ['SG'] });
  await made('PUT', '/v1/work-calendars/night', { weekDaysOff: ['SUN'] });
  await made('POST', '/v1/jobs', { ...target, delaySeconds: 600 });
  await made('POST', '/v1/schedules', { name: 'hourly', target, cron: '0 * * * *' });
  await made('POST', '/v1/audiences?name=riders&country=SG', 'u1\nu2\n');
  await made('POST', '/v1/campaigns', someCampaign);
  for (const state of ['running', 'completed_with_failures'] as const) await runThere(state);
  await made('GET', '/v1/runs');
}

async function made(...asked: Parameters<Sender['ask']>): Promise<void> {
  const { status, body } = await sender.ask(...asked);
  if (status >= 300) throw new Error(`${asked[1]} was answered ${status}: ${body ?? ''}`);
}

async function runThere(state: 'running' | 'completed_with_failures'): Promise<void> {
  const { campaignId } = await on.deps.campaigns.create(campaignDefinition.parse(someCampaign));
  const startedAt = new Date('2025-12-31T23:00:00Z');
  const ended = state === 'running' ? {} : { endedAt: new Date('2025-12-31T23:30:00Z') };
  const runId = await on.deps.rows.addRun({
    campaignId,
    revision: 1,
    scheduledFor: startedAt,
    state,
    startedAt,
    ...ended,
  });
  const feedId = await on.deps.rows.addFeed(runId, { country: 'SG', fedUsers: 3 });
  await on.deps.rows.addTotals(feedId, 0, { step: 1, batches: 1, succeeded: 2, failed: 1 });
  await on.deps.rows.addFailure(feedId, { user: 'u1', step: 1, reason: 'out-of-stock' });
}

/** Before the rest: what they name is there. */
describe('the example of a body', () => {
  const withBody = operations.flatMap((operation) => {
    const schema = operation.requestBody?.content['application/json']?.schema;
    const { $ref: ref } = referring.parse(schema);
    return ref === undefined ? [] : [{ name: nameOf(operation), operation, ref }];
  });

  it.each(withBody)('is accepted as it stands: $name', async ({ operation, ref }) => {
    const component = document.components.schemas[ref.replace('#/components/schemas/', '')];
    const { examples } = withExamples.parse(component);
    const path = { name: 'night', shard: 'award-reward.SG', region: 'local', id: '@run:0', secret: 'authorization' };
    for (const body of examples) {
      const request = { path, query: [], headers: {}, body: JSON.stringify(body), isFitting: true };
      const answer = await sender.send(operation, request);
      // What may be wrong is not the body: who asks, what the path names, or the state that it is in.
      expect([200, 201, 202, 204, 401, 403, 404, 409, 428], answer.body).toContain(answer.status);
    }
  });
});

describe('an operation answers what the document declares, whatever it is sent', () => {
  it.each(operations.map((operation) => ({ name: nameOf(operation), operation })))(
    '$name',
    { timeout: 60_000 + numRuns * 500 },
    async ({ operation }) => {
      await fc.assert(
        fc.asyncProperty(requestsFor(operation, document, words), async (request) => await check(operation, request)),
        { numRuns, ...seed },
      );
    },
  );
});

async function check(operation: Operation, request: FuzzRequest): Promise<void> {
  const answer = await sender.send(operation, request);
  expect(judge(operation, answer)).toEqual([]);
  if (answer.status < 300) accepted.add(operation.operationId);
}

const referring = z.object({ $ref: z.string().optional() }).default({});
const withExamples = z.object({ examples: z.array(z.json()).min(1) });

describe('an operation asks for a key', () => {
  it.each(operations.filter(asksForKey).map((operation) => ({ name: nameOf(operation), operation })))(
    '$name',
    async ({ operation }) => {
      const [request] = fc.sample(requestsFor(operation, document, words), { numRuns: 1, ...seed });
      if (request === undefined) throw new Error('no request was made');
      const answer = await sender.sendWithoutKey(operation, request);
      expect([answer.status, ...judge(operation, answer)]).toEqual([401]);
    },
  );

  it('but those that the table of routes opens to anybody', () => {
    const open = operations.filter((operation) => !asksForKey(operation)).map(nameOf);
    expect(open.sort()).toEqual([...(routeTable.anybody.none ?? [])].sort());
  });
});

it('most operations carried out some of what they were sent', () => {
  const refused = operations.map(({ operationId }) => operationId).filter((name) => !accepted.has(name));
  expect(refused.length).toBeLessThan(operations.length / 3);
});
