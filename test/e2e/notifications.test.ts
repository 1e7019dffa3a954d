import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createCampaign,
  createNotification,
  listRuns,
  listNotificationDeliveries,
  listNotifications,
  startCampaign,
  testNotification,
} from '../../sdk/generated/sdk.gen.ts';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import { startMailServer, type MailServer } from '../support/mail-server.ts';
import { rewardThenMessage, startInstallation, type Installation } from './installation.ts';

const root = join(import.meta.dirname, '../..');
const patienceMs = 60_000;
const publicUrl = 'https://muster.test/console';

/** Starts the receiver of docs/notifications.md as a process of its own, beside an installed SDK. */
function startDisplayedReceiver(folder: string, environment: Record<string, string>): ChildProcess {
  const [, displayed = ''] =
    /## To a service of your own.*?```js\n(.*?)```/s.exec(readFileSync(join(root, 'docs/notifications.md'), 'utf8')) ??
    [];
  const sdk = join(folder, 'node_modules/muster-sdk');
  mkdirSync(sdk, { recursive: true });
  writeFileSync(join(sdk, 'package.json'), '{"type":"module","exports":{"./verify":"./verify.js"}}');
  writeFileSync(join(sdk, 'verify.js'), `export * from '${pathToFileURL(join(root, 'sdk/verify.ts')).href}';`);
  writeFileSync(join(folder, 'receiver.mjs'), displayed);
  return spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: 'inherit',
  });
}

let muster: Installation;
let slack: Server;
let mail: MailServer;
const busy = { times: 0 };
let receiver: ChildProcess | undefined;
const folder = mkdtempSync(join(tmpdir(), 'notifications-'));
const received: string[] = [];
const refusing = { times: 0 };
const api = () => ({ client: muster.api.client });

beforeAll(async () => {
  slack = createServer((request, response) => {
    void text(request).then((body) => {
      const isRefused = refusing.times-- > 0;
      if (!isRefused) received.push(z.object({ text: z.string() }).parse(JSON.parse(body)).text);
      response.writeHead(isRefused ? 503 : 200).end('ok');
    });
  });
  slack.listen(0, '127.0.0.1');
  await once(slack, 'listening');
  mail = await startMailServer((address) =>
    address.startsWith('gone') ? '550 no such user' : busy.times-- > 0 ? '451 try again later' : undefined,
  );
  muster = await startInstallation({
    workers: 'all-in-one',
    sandbox: { SANDBOX_SEGMENTS: 'lapsed-riders=300' },
    engine: { API_PUBLIC_URL: publicUrl, SMTP_URL: mail.url, SMTP_FROM: 'Muster <muster@muster.test>' },
  });
});
afterAll(async () => {
  receiver?.kill();
  slack.close();
  await muster.stop();
  await mail.close();
  rmSync(folder, { recursive: true, force: true });
});

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpMs = Date.now() + patienceMs;
  while (!(await isSo())) {
    if (Date.now() > giveUpMs) throw new Error(`the expected state did not come; received ${JSON.stringify(received)}`);
    await wait(50);
  }
}

async function notificationAt(port: number, events: ('run.started' | 'run.ended' | 'campaign.scheduled')[]) {
  const body = { url: `http://127.0.0.1:${port}/hook`, events, egress: { allow: [{ cidr: '127.0.0.0/8', port }] } };
  return (await createNotification({ ...api(), body })).data;
}

it('the documented receiver of webhooks accepts only signed messages and gets all of them, beside a dead receiver', async () => {
  const [port = 0, deadPort = 0] = await findFreePorts(2);
  const { notification: dead } = await notificationAt(deadPort, ['campaign.scheduled', 'run.started', 'run.ended']);
  const { notification, secret } = await notificationAt(port, ['run.started', 'run.ended']);
  const { port: slackPort } = z.object({ port: z.number() }).parse(slack.address());
  receiver = startDisplayedReceiver(folder, {
    WEBHOOK_SECRET: secret ?? '',
    SLACK_URL: `http://127.0.0.1:${slackPort}`,
    PORT: String(port),
  });
  const ask = () => fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '{"data":{"text":"forged"}}' });
  await until(() =>
    ask().then(
      ({ status }) => status === 401,
      () => false,
    ),
  );

  // Slack refuses the first request. The job is called again under the same id.
  refusing.times = 1;
  const { id: testId } = (await testNotification({ ...api(), path: { id: notification.id } })).data;
  await until(() => received.length === 1);
  expect(received).toEqual([`This is a test: Muster reaches you <${publicUrl}/notifications|open>`]);

  const audience = { include: [{ segment: 'lapsed-riders' }] };
  const body = { name: 'Payday', countries: ['SG', 'ID', 'VN'], chain: rewardThenMessage, audience };
  const { id } = (await createCampaign({ ...api(), body })).data;
  await startCampaign({ ...api(), path: { id } });
  await until(() => received.length === 3);
  const [run] = (await listRuns({ ...api(), query: { campaignId: id } })).data.items;
  const link = `${publicUrl}/runs/${run?.runId ?? ''}`;
  expect(received.slice(1).toSorted()).toEqual([
    `A run of "Payday" completed. 300 of 300 users through the chain, 0 failed <${link}/report|open>`,
    `A run of "Payday" started <${link}|open>`,
  ]);

  const path = { id: notification.id };
  await until(async () => (await listNotificationDeliveries({ ...api(), path })).data.items.length === 3);
  const { items } = (await listNotificationDeliveries({ ...api(), path })).data;
  expect(items.find((each) => each.id === testId)).toMatchObject({
    state: 'sent',
    event: 'notification.test',
    attempts: 2,
  });
  const listed = (await listNotifications(api())).data.items;
  expect(listed.find((each) => each.id === notification.id)).toMatchObject({ waiting: 0, dead: 0 });
  expect(listed.find((each) => each.id === dead.id)).toMatchObject({ waiting: 3, lastSent: null });
  expect(received.some((reported) => reported.includes('forged'))).toBe(false);
});

it('a Slack channel receives notifications without a service in between', async () => {
  const { port } = z.object({ port: z.number() }).parse(slack.address());
  const egress = { allow: [{ cidr: '127.0.0.0/8', port }] };
  const url = `http://127.0.0.1:${port}/services/T0`;
  const body = { url, kind: 'slack' as const, events: ['run.ended' as const], egress };
  const { notification, secret } = (await createNotification({ ...api(), body })).data;
  expect(secret).toBeNull();
  const before = received.length;
  await testNotification({ ...api(), path: { id: notification.id } });
  await until(() => received.length > before);
  expect(received.slice(before)).toEqual([
    `This is a test: Muster reaches you <${publicUrl}/notifications|Open in Muster>`,
  ]);
});

it('an e-mail is retried if the server is busy, and given up if the address does not exist', async () => {
  busy.times = 1;
  const addressed = async (address: string) => {
    const body = { url: `mailto:${address}`, events: ['campaign.scheduled' as const] };
    return (await createNotification({ ...api(), body })).data.notification.id;
  };
  const [team, gone] = [await addressed('team@muster.test'), await addressed('gone@muster.test')];
  await testNotification({ ...api(), path: { id: team } });
  await testNotification({ ...api(), path: { id: gone } });
  const deliveryTo = async (id: string) => (await listNotificationDeliveries({ ...api(), path: { id } })).data.items[0];
  await until(async () => [await deliveryTo(team), await deliveryTo(gone)].every((each) => each !== undefined));
  expect(await deliveryTo(team)).toMatchObject({ state: 'sent', attempts: 2, status: 250 });
  expect(await deliveryTo(gone)).toMatchObject({ state: 'dead', attempts: 1, status: 550 });
  expect(mail.received.map(({ to, text: message }) => [to, /^Subject: (.*)\r$/m.exec(message)?.[1]])).toEqual([
    [['team@muster.test'], '[Muster] This is a test: Muster reaches you'],
  ]);
});
