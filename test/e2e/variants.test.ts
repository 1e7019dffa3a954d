import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { runUser } from '../../shared/contracts/runs/run-users.ts';
import { resumeRun } from '../../sdk/generated/sdk.gen.ts';
import { outcomes } from '../../shared/domain/step/outcomes.ts';
import { pageSegment } from './gather-evidence.ts';
import { startInstallation, type Installation } from './installation.ts';

const countries = ['SG', 'ID'];
const segment = 'lapsed-riders';
const batch = z.object({
  country: z.string(),
  action: z.object({ params: z.object({ text: z.string(), from: z.string() }) }),
  users: z.array(z.string()),
});

/** Endpoint of class A: gives each user one message, and remembers the texts of all calls for the user. */
async function startMessages() {
  const textsOf = new Map<string, Set<string>>();
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const { country, action, users } = batch.parse(JSON.parse(body));
      for (const user of users) {
        const key = `${country} ${user}`;
        textsOf.set(key, (textsOf.get(key) ?? new Set<string>()).add(`${action.params.from}: ${action.params.text}`));
      }
      // Slow enough that a worker can be killed with calls in flight.
      await wait(200);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ succeeded: users.length, failed: [] }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { textsOf, url: `http://127.0.0.1:${address.port}/`, stop: () => server.close() };
}

let muster: Installation;
let messages: Awaited<ReturnType<typeof startMessages>>;
afterEach(async () => {
  await muster.stop();
  messages.stop();
});

async function begin() {
  messages = await startMessages();
  const { url, textsOf } = messages;
  muster = await startInstallation({
    workers: 2,
    countries,
    sandbox: { SANDBOX_SEGMENTS: `${segment}=12000`, SANDBOX_REWARDS_FAILURE_SHARE: '0.05' },
    engine: { WORKER_CONCURRENCY: '4', WORKER_LEASE_MS: '4000', KAFKA_SESSION_TIMEOUT_MS: '2000' },
    configure: ({ actionTypes, ...config }) => {
      const message = { url, class: 'A', answerForm: 'compact', timeoutMs: 2000 } as const;
      return { ...config, actionTypes: { ...actionTypes, 'send-message': message } };
    },
  });
  return { textsOf };
}

async function killAndRestart(name: string): Promise<void> {
  await muster.services.get(name)?.end('SIGKILL');
  await muster.restart(name);
}

async function usersOf(runId: string) {
  const listed = await muster.api.request(`/v1/runs/${runId}/users`, { headers: { accept: 'application/x-ndjson' } });
  const lines = (await listed.text()).trim().split('\n');
  return lines.map((line) => runUser.parse(JSON.parse(line)));
}

async function audienceSize(): Promise<number> {
  const paged = countries.map((country) => pageSegment(`${muster.sandboxUrl}/segmentation`, segment, country));
  return (await Promise.all(paged)).flat().length;
}

it('a campaign with variants sends each user the parameters of one variant, although a worker is killed', async () => {
  const { textsOf } = await begin();
  const variants = [
    { name: 'short', weight: 7000, params: { text: 'short' } },
    { name: 'long', weight: 3000, params: { text: 'long' } },
  ];
  const chain = [
    { action: 'send-message', params: { text: 'usual', from: 'us' }, variants },
    { action: 'award-reward', params: { rewardId: 'ride-5', units: 1 } },
  ];
  const audience = { include: [{ segment }], holdOutPercent: 10 };
  const runId = await muster.api.run({ name: 'Two texts', countries, audience, chain });

  let killing: Promise<void> | undefined;
  await muster.api.awaitEnd(runId, ({ steps, variants: ofVariants }) => {
    if ((steps[0]?.succeeded ?? 0) > 0) killing ??= killAndRestart('worker-1');
    const users = ofVariants.reduce((sum, variant) => sum + variant.users, 0);
    expect(users).toBe(steps[0]?.audience);
  });
  expect(killing).toBeDefined();
  await killing;

  const report = await muster.api.report(runId);
  expect(report).toMatchObject({ state: 'completed_with_failures', balanced: true });
  expect(report.audience.counted).toBe(await audienceSize());
  for (const [index, line] of report.steps.entries())
    for (const column of ['audience', 'pending', ...outcomes] as const)
      expect(report.variants.reduce((sum, { steps }) => sum + (steps[index]?.[column] ?? 0), 0)).toBe(line[column]);
  const shares = report.variants.map(({ users }) => users / report.audience.counted);
  expect(Math.abs((shares[0] ?? 0) - 0.7)).toBeLessThan(0.03);

  const users = await usersOf(runId);
  expect(users).toHaveLength(report.audience.counted - (report.steps[0]?.heldOut ?? 0));
  expect(textsOf.size).toBe(users.length);
  for (const { userId, country, variant } of users)
    expect([...(textsOf.get(`${country} ${userId}`) ?? [])]).toEqual([`us: ${variant}`]);
});

it('a campaign tries its variants on a share of the users, and sends all others the chosen one, although services are killed', async () => {
  const { textsOf } = await begin();
  const variants = [
    { name: 'short', weight: 5000, params: { text: 'short' } },
    { name: 'long', weight: 5000, params: { text: 'long' } },
  ];
  const chain = [{ action: 'send-message', params: { text: 'usual', from: 'us' }, variants }];
  const audience = { include: [{ segment }] };
  const canary = { percent: 20, then: 'choose-variant' } as const;
  const runId = await muster.api.run({ name: 'One of two texts', countries, audience, chain, canary });
  const progress = () => muster.api.progress(runId);
  const soon = { timeout: 120_000, interval: 100 };

  await vi.waitFor(async () => expect((await progress()).steps[0]?.succeeded).toBeGreaterThan(0), soon);
  await Promise.all(['worker-1', 'trigger'].map(killAndRestart));
  await vi.waitFor(async () => expect(await progress()).toMatchObject({ state: 'paused', canary: 'waits' }), soon);
  const tried = await usersOf(runId);
  const size = await audienceSize();
  expect(Math.abs(tried.length / size - 0.2)).toBeLessThan(0.03);
  expect(textsOf.size).toBe(tried.length);

  const { client } = muster.api;
  await expect(resumeRun({ client, path: { id: runId }, body: {} })).rejects.toThrow(
    /waits for the choice of a variant/,
  );
  await resumeRun({ client, path: { id: runId }, body: { variant: 'long' } });
  await vi.waitFor(async () => expect((await progress()).steps[0]?.succeeded).toBeGreaterThan(tried.length), soon);
  await Promise.all(['worker-2', 'trigger'].map(killAndRestart));
  await muster.api.awaitEnd(runId);

  const report = await muster.api.report(runId);
  expect(report).toMatchObject({
    state: 'completed',
    balanced: true,
    canary: 'over',
    variantChoice: { options: ['short', 'long'], chosen: 'long' },
    undecidedUsers: 0,
  });
  expect(report.audience.counted).toBe(size);
  const sums = report.variants.map(({ steps }) => steps[0]?.succeeded ?? 0);
  const triedShort = tried.filter(({ variant }) => variant === 'short').length;
  expect(sums).toEqual([triedShort, size - triedShort]);
  const smaller = Math.min(triedShort, tried.length - triedShort);
  expect(report.differences).toMatchObject([{ of: 'long', against: 'short', users: smaller }]);

  const variantOf = new Map(tried.map(({ userId, country, variant }) => [`${country} ${userId}`, variant]));
  const users = await usersOf(runId);
  expect(users).toHaveLength(size);
  expect(textsOf.size).toBe(size);
  for (const { userId, country, variant } of users) {
    const place = `${country} ${userId}`;
    expect([...(textsOf.get(place) ?? [])]).toEqual([`us: ${variant}`]);
    expect(variant).toBe(variantOf.get(place) ?? 'long');
  }
});
