import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isPlain, usersTextOf } from '../shared/domain/step/users-text.ts';
import { readAnswer } from '../services/worker/endpoint/read-answer.ts';
import { collect } from '../test/support/collect.ts';
import { createMuster, type Muster } from './muster.ts';
import { invitationIn, RefusedReport, report } from './report.ts';
import { UnverifiedCall, verify } from './verify.ts';

const headers = z.record(z.string(), z.string());
const answer = z.union([
  z.literal('lost'),
  z.object({ status: z.int(), headers: headers.optional(), body: z.unknown().optional(), text: z.string().optional() }),
]);
const sent = z.object({
  method: z.string(),
  path: z.string(),
  body: z.unknown().optional(),
  idempotencyKey: z.string().optional(),
});
const named = z.object({
  ids: z.array(z.string()).exactOptional(),
  idempotencyKeys: z.array(z.string()).exactOptional(),
});
const job = z.looseObject({ client: z.string(), url: z.string(), method: z.literal('POST') });
const common = { name: z.string(), retries: z.int().optional(), answers: z.array(answer), requests: z.array(sent) };
const ends = {
  result: z.unknown().optional(),
  problem: z.looseObject({}).optional(),
  unavailable: z.looseObject({}).optional(),
};
const jobCall = <Call extends string, Fields extends z.ZodRawShape>(call: Call, fields: Fields) =>
  z.object({ ...common, ...ends, call: z.literal(call), ...fields });

/** Test vectors that all kits run. The TypeScript SDK runs the vectors of the parts that it has. */
const vectors = z
  .object({
    signatures: z.array(
      z.object({
        name: z.string(),
        secrets: z.array(z.string()),
        headers,
        body: z.string(),
        now: z.int(),
        isValid: z.boolean(),
      }),
    ),
    call: z.object({ body: z.object({ users: z.array(z.string()) }) }),
    batches: z.array(
      z.object({
        name: z.string(),
        calls: z.array(
          z.object({
            body: z.looseObject({ users: z.array(z.unknown()).nullish() }).optional(),
            path: z.string().optional(),
            expect: z.object({ status: z.int(), headers: headers.optional(), body: z.unknown() }),
          }),
        ),
      }),
    ),
    jobs: z.array(
      z.discriminatedUnion('call', [
        jobCall('schedule', { job }),
        jobCall('scheduleMany', { client: z.string(), jobs: z.array(z.looseObject({ endpoint: z.string() })) }),
        jobCall('job', { id: z.string() }),
        jobCall('jobs', { query: z.object({ client: z.string(), state: z.literal('pending') }) }),
        jobCall('cancel', { id: z.string() }),
        jobCall('reschedule', { id: z.string(), due: z.object({ delaySeconds: z.int() }) }),
        jobCall('runNow', { id: z.string() }),
        jobCall('findMany', { client: z.string(), named }),
        jobCall('cancelMany', { client: z.string(), named }),
        jobCall('resend', { client: z.string(), named }),
      ]),
    ),
    invitations: z.array(
      z.object({ name: z.string(), headers, musterUrl: z.string().nullable(), invitation: z.unknown() }),
    ),
    reports: z.array(
      z.object({
        name: z.string(),
        report: z.discriminatedUnion('outcome', [
          z.object({ outcome: z.literal('done') }),
          z.object({ outcome: z.literal('failed'), reason: z.string(), final: z.boolean().exactOptional() }),
        ]),
        answers: z.array(answer),
        result: z.string().optional(),
        refused: z.looseObject({}).optional(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'kits/vectors.json'), 'utf8')));

type JobVector = (typeof vectors.jobs)[number];

/** Acts as Muster: returns the answers in turn and records requests. It does not wait for `Retry-After`. */
function playing(answers: readonly z.infer<typeof answer>[]) {
  const requests: z.infer<typeof sent>[] = [];
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname, searchParams } = new URL(request.url);
    searchParams.sort();
    const key = request.headers.get('idempotency-key');
    const content = await request.text();
    const recorded: z.infer<typeof sent> = {
      method: request.method,
      path: searchParams.size === 0 ? pathname : `${pathname}?${searchParams.toString()}`,
    };
    if (content !== '') recorded.body = JSON.parse(content);
    if (key !== null) recorded.idempotencyKey = key;
    requests.push(recorded);
    const next = answers[requests.length - 1] ?? expect.fail('a request too many');
    if (next === 'lost') throw new TypeError('fetch failed');
    const text = next.text ?? JSON.stringify(next.body ?? {});
    return new Response(text, {
      status: next.status,
      headers: { 'content-type': 'application/json', ...next.headers, 'retry-after': '0' },
    });
  };
  return { requests, send };
}

async function callOf(muster: Muster, vector: JobVector): Promise<unknown> {
  switch (vector.call) {
    case 'schedule':
      return await muster.schedule(vector.job);
    case 'scheduleMany':
      return await muster.scheduleMany({ client: vector.client, jobs: vector.jobs });
    case 'job':
      return await muster.job(vector.id);
    case 'jobs':
      return await collect(muster.jobs(vector.query));
    case 'cancel':
      return await muster.cancel(vector.id);
    case 'reschedule':
      return await muster.reschedule(vector.id, vector.due);
    case 'runNow':
      return await muster.runNow(vector.id);
    case 'findMany':
      return await muster.findMany({ client: vector.client, ...vector.named });
    case 'cancelMany':
      return await muster.cancelMany({ client: vector.client, ...vector.named });
    case 'resend':
      return await muster.resend({ client: vector.client, ...vector.named });
  }
}

const generated = /"idempotencyKey":"([0-9a-f-]{36})"/g;

describe('the test vectors shared by all kits', () => {
  it.each(vectors.signatures)(
    'are verified by the SDK with the stated result: a signature with $name',
    ({ headers: given, body, isValid, ...terms }) => {
      const verified = () => verify(given, body, { secrets: terms.secrets, nowMs: terms.now * 1000 });
      if (isValid) expect(verified().id).toBe('msg_p5jXN8AQM9LWM0D4loKWxJek');
      else expect(verified).toThrow(UnverifiedCall);
    },
  );

  it.each(vectors.jobs)('lead to the stated requests and results of the SDK: $name', async (vector) => {
    const { requests, send } = playing(vector.answers);
    const muster = createMuster({
      url: 'http://muster.test',
      apiKey: 'key',
      retries: vector.retries ?? 5,
      fetch: send,
    });
    const outcome = callOf(muster, vector);
    if (vector.problem ?? vector.unavailable) {
      await expect(outcome).rejects.toMatchObject({ ...vector.problem, ...vector.unavailable });
    } else expect(await outcome).toEqual(vector.result);
    const text = JSON.stringify(requests);
    expect(new Set([...text.matchAll(generated)].map(([, key]) => key)).size).toBeLessThanOrEqual(1);
    expect(JSON.parse(text.replaceAll(generated, '"idempotencyKey":"*"'))).toEqual(vector.requests);
  });

  it.each(vectors.invitations)(
    'are read by the SDK as the stated report URL and token: $name',
    ({ headers: given, musterUrl, invitation }) => {
      expect(invitationIn(given, musterUrl ?? undefined) ?? null).toEqual(invitation);
    },
  );

  it.each(vectors.reports)(
    'lead to the stated report of the SDK: $name',
    async ({ report: content, answers, result, refused }) => {
      const { requests, send } = playing(answers);
      const reported = report({ url: 'http://muster.test/report', token: 'v1.a.b' }, content, { fetch: send });
      if (refused === undefined) expect(await reported).toBe(result);
      else {
        await expect(reported).rejects.toThrow(RefusedReport);
        await expect(reported).rejects.toMatchObject(refused);
      }
      expect(requests.map(({ body }) => body)).toEqual(answers.map(() => content));
    },
  );
});

describe('the expected responses in the test vectors', () => {
  const answers = vectors.batches.flatMap(({ name, calls }) =>
    calls
      .filter(({ path }) => path === undefined)
      .map(({ body, expect: expected }, place) => ({ name: `${name}, call ${place + 1}`, sent: body, expected })),
  );
  const meanings = new Map([
    [200, 'reported'],
    [202, 'reported'],
    [400, 'refused'],
    [401, 'misconfigured'],
    [405, 'misconfigured'],
    [413, 'refused'],
    [415, 'misconfigured'],
    [422, 'refused'],
    [500, 'ambiguous'],
    [503, 'not-applied'],
  ]);

  it.each(answers)('are interpreted by Muster as the vector states: $name', ({ sent: request, expected }) => {
    const users = z.array(z.string()).safeParse(request?.users).data ?? vectors.call.body.users;
    const text = usersTextOf(users);
    const { status, headers: given, body } = expected;
    const reading = readAnswer(
      { answerForm: 'full', unavailableMeansNotApplied: false },
      { users: text, count: users.length, plain: isPlain(text) },
      {
        kind: 'answered',
        status,
        retryAfterMs: given?.['retry-after'] === undefined ? null : 1000,
        contentEncoding: undefined,
        body: Buffer.from(JSON.stringify(body)),
      },
    );
    const isReused = JSON.stringify(body).includes('key-reused');
    expect(reading.kind).toBe(isReused ? 'misconfigured' : meanings.get(status));
  });
});
