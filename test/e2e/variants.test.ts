import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { runUser } from '../../shared/contracts/runs/run-users.ts';
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

it('a campaign with variants sends each user the parameters of one variant, although a worker is killed', async () => {
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
  const kill = async () => {
    await muster.services.get('worker-1')?.end('SIGKILL');
    await muster.restart('worker-1');
  };
  await muster.api.awaitEnd(runId, ({ steps, variants: ofVariants }) => {
    if ((steps[0]?.succeeded ?? 0) > 0) killing ??= kill();
    const users = ofVariants.reduce((sum, variant) => sum + variant.users, 0);
    expect(users).toBe(steps[0]?.audience);
  });
  expect(killing).toBeDefined();
  await killing;

  const report = await muster.api.report(runId);
  expect(report).toMatchObject({ state: 'completed_with_failures', balanced: true });
  const paged = countries.map((country) => pageSegment(`${muster.sandboxUrl}/segmentation`, segment, country));
  expect(report.audience.counted).toBe((await Promise.all(paged)).flat().length);
  for (const [index, line] of report.steps.entries())
    for (const column of ['audience', 'pending', ...outcomes] as const)
      expect(report.variants.reduce((sum, { steps }) => sum + (steps[index]?.[column] ?? 0), 0)).toBe(line[column]);
  const shares = report.variants.map(({ users }) => users / report.audience.counted);
  expect(Math.abs((shares[0] ?? 0) - 0.7)).toBeLessThan(0.03);

  const listed = await muster.api.request(`/v1/runs/${runId}/users`, { headers: { accept: 'application/x-ndjson' } });
  const users = (await listed.text())
    .trim()
    .split('\n')
    .map((line) => runUser.parse(JSON.parse(line)));
  expect(users).toHaveLength(report.audience.counted - (report.steps[0]?.heldOut ?? 0));
  expect(textsOf.size).toBe(users.length);
  for (const { userId, country, variant } of users)
    expect([...(textsOf.get(`${country} ${userId}`) ?? [])]).toEqual([`us: ${variant}`]);
});
