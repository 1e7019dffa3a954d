import { beforeAll, describe, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { campaignDefinition } from '../../shared/contracts/campaigns/campaigns.ts';
import { apiDocument } from '../../services/api/api-document.ts';
import { publicId } from '../../shared/domain/ids/ids.ts';
import { digestOfApiKey } from '../../shared/runtime/installation/api-key-secret.ts';
import { someCampaign } from '../support/api-deps.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import type { JsonValue } from '../support/fuzz/json.ts';
import { createJudge, type JudgeAnswer } from '../support/fuzz/judge-answer.ts';
import { operationsOf, readDocument, type Operation } from '../support/fuzz/operations.ts';
import { requestsFor, type FuzzRequest } from '../support/fuzz/request-arbitraries.ts';
import { createRequestFit, undeclaredRefusals, type RequestFit } from '../support/fuzz/request-fit.ts';
import { createSender, type Sender } from '../support/fuzz/send-request.ts';
import { unruly } from '../support/fuzz/odd-values.ts';
import { withTextEverywhere } from '../support/fuzz/with-text.ts';
import { fc } from '../support/properties.ts';
import { routeTable } from '../support/route-table.ts';

/**
 * Sends requests that match the OpenAPI document and requests that do not to each operation. The answers must match its
 * declaration. A failure prints a seed: `FUZZ_SEED` sends the same requests again, `FUZZ_RUNS` sends more.
 */
const { FUZZ_SEED, FUZZ_RUNS = '8' } = process.env;
const numRuns = Number(FUZZ_RUNS);
const seed = FUZZ_SEED === undefined ? {} : { seed: Number(FUZZ_SEED) };

const on = apiOnPostgres({ begun: 'once' });
const operations = operationsOf(readDocument(await apiDocument()));
let sender: Sender;
let judge: JudgeAnswer;
let fit: RequestFit;
let document: ReturnType<typeof readDocument>;
/** Operations that accepted at least one request. */
const accepted = new Set<string>();

const nameOf = ({ method, path }: Operation) => `${method} ${path}`;
/** Media type of bodies with examples. */
const type = 'application/json';
const asksForKey = ({ security }: Operation) => security?.length !== 0;

/** Contents of the installation. */
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
  fit = createRequestFit(document);
  sender = createSender(on.api.server, async () => {
    const secret = `muster_${randomUUID()}`;
    await on.deps.apiKeys.add({ name: 'fuzz', digest: digestOfApiKey(secret), role: 'operator' });
    return secret;
  });
  await begin();
});

/** Creates some objects of every kind. */
async function begin(): Promise<void> {
  const target = { client: 'shop', url: 'https://shop.example.com/hook' };
  await made('POST', '/v1/clients', { name: 'shop' });
  await made('POST', '/v1/clients/shop/endpoints', { name: 'returns', url: target.url });
  await made('PUT', '/v1/groups/night', { countries: ['SG'] });
  await made('PUT', '/v1/work-calendars/night', { weekDaysOff: ['SUN'] });
  await made('POST', '/v1/jobs', { ...target, delaySeconds: 600 });
  await made('POST', '/v1/schedules', { name: 'hourly', target, cron: '0 * * * *' });
  await made('POST', '/v1/audiences/upload?name=riders&country=SG', 'u1\nu2\n');
  await made('POST', '/v1/campaigns', someCampaign);
  for (const state of ['running', 'paused', 'completed_with_failures'] as const) await runThere(state);
  await made('GET', '/v1/runs');
}

async function made(...requested: Parameters<Sender['ask']>): Promise<void> {
  const { status, body } = await sender.ask(...requested);
  if (status >= 300) throw new Error(`${requested[1]} was answered ${status}: ${body}`);
}

async function runThere(state: 'running' | 'paused' | 'completed_with_failures'): Promise<string> {
  const { campaignId } = await on.deps.campaigns.create(campaignDefinition.parse(someCampaign));
  const startedAt = new Date('2025-12-31T23:00:00Z');
  const ended = state !== 'completed_with_failures' ? {} : { endedAt: new Date('2025-12-31T23:30:00Z') };
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
  return publicId('run', runId);
}

/** Runs before the other tests, so that the objects that the examples name exist. */
describe('the example of a request body', () => {
  const withBody = operations.flatMap((operation) => {
    const refs = refsOf(operation);
    return refs.map((ref) => ({ name: nameOf(operation), operation, ref }));
  });

  it.each(withBody)('is accepted by its operation: $name', async ({ operation, ref }) => {
    const examples = examplesOf(ref);
    const path = { name: 'night', shard: 'award-reward.SG', region: 'local', id: '@run:0', secret: 'authorization' };
    for (const body of examples) {
      const request = { path, query: [], headers: {}, type, body: JSON.stringify(body), isFitting: true };
      const answer = await sender.send(operation, request);
      // The body is right. Refusals may concern the caller, the objects that the path names, or their state.
      expect([200, 201, 202, 204, 401, 403, 404, 409, 428], answer.body).toContain(answer.status);
    }
  });
});

describe('an operation that controls a run', () => {
  it.each([
    ['changeRun', 'running'],
    ['pauseRun', 'running'],
    ['resumeRun', 'paused'],
    ['cancelRun', 'running'],
  ] as const)('accepts each example of its body: %s', async (operationId, state) => {
    const operation = operations.find((each) => each.operationId === operationId) ?? expect.fail('it is not declared');
    for (const example of refsOf(operation).flatMap(examplesOf)) {
      const path = { id: await runThere(state) };
      const body = JSON.stringify(example);
      const answer = await sender.send(operation, { path, query: [], headers: {}, type, body, isFitting: true });
      expect([answer.status, ...judge(operation, answer)], answer.body).toEqual([expect.toBeOneOf([200, 202])]);
      accepted.add(operationId);
    }
  });
});

describe('an operation with random requests', () => {
  it.each(operations.map((operation) => ({ name: nameOf(operation), operation })))(
    'returns only documented responses: $name',
    { timeout: 60_000 + numRuns * 500 },
    async ({ operation }) => {
      await fc.assert(
        fc.asyncProperty(
          requestsFor(operation, document, words, fit),
          async (request) => await check(operation, request),
        ),
        { numRuns, ...seed },
      );
    },
  );
});

async function check(operation: Operation, request: FuzzRequest): Promise<void> {
  const answer = await sender.send(operation, request);
  expect(judge(operation, answer)).toEqual([]);
  const isAllowed = answer.status === 422 && fit.allows(operation, answer.sent);
  expect(isAllowed ? undeclaredRefusals(operation, answer.body) : []).toEqual([]);
  if (answer.status < 300) accepted.add(operation.operationId);
}

describe('an operation with arbitrary text in each parameter and field', () => {
  it.each(operations.map((operation) => ({ name: nameOf(operation), operation })))(
    'returns only documented responses: $name',
    { timeout: 180_000 },
    async ({ operation }) => {
      const samples = fc.sample(requestsFor(operation, document, words, fit), { numRuns: 30, ...seed });
      const fitting = samples.filter((sample) => sample.isFitting && !holdsNul(sample));
      const request = fitting.find(({ body }) => body !== undefined) ?? fitting[0];
      if (request === undefined) throw new Error('no request was made');
      for (const [kind, text] of Object.entries(unruly)) {
        for (const { place, pointer, request: bent } of withTextEverywhere(operation, request, text)) {
          const answer = await sender.send(operation, bent);
          const found = judge(operation, answer).map((fault) => `${kind} in ${place}: ${fault}`);
          expect(found, answer.body).toEqual([]);
          if (kind !== 'nul' || pointer === undefined || findsItsCallerFirst(operation)) continue;
          expect([answer.status, ...refusedPlaces(answer.body)], `${place}: ${answer.body}`).toEqual([422, pointer]);
        }
      }
    },
  );
});

/** The token of a report belongs to the job in the path, so the route looks up the job first. */
const findsItsCallerFirst = ({ path }: Operation) => path === '/v1/jobs/{id}/report';

const refusedTexts = z.object({
  errors: z.array(z.object({ pointer: z.string(), code: z.literal('unstorable-text') })),
});
/** Pointers of the texts that a refusal names. */
const refusedPlaces = (body: string) => refusedTexts.parse(JSON.parse(body)).errors.map(({ pointer }) => pointer);
/** True if the request has a text with U+0000, because the refusal would name this text too. */
const holdsNul = (request: FuzzRequest) => JSON.stringify(request).includes(String.raw`\u0000`);

const referring = z.object({ $ref: z.string() });
const choosing = z.object({ anyOf: z.array(z.json()) });

/** Returns the components that a body may be. */
function refsOf({ requestBody }: Operation): string[] {
  const schema = requestBody?.content[type]?.schema;
  const choices = choosing.safeParse(schema).data?.anyOf ?? [schema];
  return choices.flatMap((choice) => referring.safeParse(choice).data?.$ref ?? []);
}

function examplesOf(ref: string): JsonValue[] {
  return withExamples.parse(document.components.schemas[ref.replace('#/components/schemas/', '')]).examples;
}

const withExamples = z.object({ examples: z.array(z.json()).min(1) });

describe('a request without a key', () => {
  it.each(operations.filter(asksForKey).map((operation) => ({ name: nameOf(operation), operation })))(
    'is refused with 401: $name',
    async ({ operation }) => {
      const [request] = fc.sample(requestsFor(operation, document, words, fit), { numRuns: 1, ...seed });
      if (request === undefined) throw new Error('no request was made');
      const answer = await sender.sendWithoutKey(operation, request);
      expect([answer.status, ...judge(operation, answer)]).toEqual([401]);
    },
  );

  it('is refused unless the route table opens the operation to all callers', () => {
    const open = operations.filter((operation) => !asksForKey(operation)).map(nameOf);
    expect(open.sort()).toEqual([...(routeTable.anybody.none ?? [])].sort());
  });
});

it('most operations accept some of the random requests', () => {
  const refused = operations.map(({ operationId }) => operationId).filter((name) => !accepted.has(name));
  expect(refused.length).toBeLessThan(operations.length / 3);
});
