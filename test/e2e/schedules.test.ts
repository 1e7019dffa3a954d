import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { occurrenceShape, scheduleShape } from '../../shared/contracts/schedules/schedules.ts';
import { violations } from '../support/evidence.ts';
import { countries, rewardThenMessage, startInstallation, type Installation } from './installation.ts';

/** What somebody's service was called for. */
const calls: { webhookId: string; scheduledFor: string }[] = [];
const text = z.string();
const receiver = createServer((request, response) => {
  const [webhookId, scheduledFor] = [request.headers['webhook-id'], request.headers['muster-scheduled-for']];
  calls.push({ webhookId: text.parse(webhookId), scheduledFor: text.parse(scheduledFor) });
  request.resume();
  response.end('{}');
});

describe('what recurs, with all services in one process', () => {
  let muster: Installation;
  let port = 0;

  async function ask(path: string, body?: object): Promise<unknown> {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await muster.api.request(`/v1${path}`, init);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = Date.now() + 60_000;
    while (!(await isSo())) {
      if (Date.now() > deadline) throw new Error('it did not come to that within a minute');
      await wait(50);
    }
  }

  beforeAll(async () => {
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    port = z.object({ port: z.number() }).parse(receiver.address()).port;
    muster = await startInstallation({ workers: 'all-in-one', sandbox: { SANDBOX_SEGMENTS: 'lapsed-riders=2000' } });
    const client = await ask('/clients', { name: 'shop', egress: { allow: [{ cidr: '127.0.0.0/8', port }] } });
    await ask(`/clients/${z.object({ id: z.string() }).parse(client).id}/keys`, {});
  });
  afterAll(async () => {
    await muster.stop();
    receiver.close();
  });

  it('calls for each instant once, also over a process that is killed, and tells what became of every one', async () => {
    const target = { client: 'shop', url: `http://127.0.0.1:${port}/hook` };
    const schedule = scheduleShape.parse(
      await ask('/schedules', { name: 'each second', everySeconds: 1, misfire: 'fire-all', target }),
    );
    await until(() => calls.length >= 3);
    const service = muster.services.get('all');
    await service?.end('SIGKILL');
    await muster.restart('all');
    const before = calls.length;
    await until(() => calls.length >= before + 3);
    const paused = scheduleShape.parse(await ask(`/schedules/${schedule.id}/pause`, {}));

    const page = z
      .object({ items: z.array(occurrenceShape) })
      .parse(await ask(`/schedules/${schedule.id}/occurrences?limit=1000`));
    const decided = page.items.reduce((sum, { instants }) => sum + instants, 0);
    const seconds = (Date.parse(paused.decidedUntil) - Date.parse(schedule.createdAt)) / 1000;
    expect(decided).toBe(Math.floor(seconds));
    const fired = page.items.filter(({ state }) => state === 'fired').map(({ scheduledFor }) => scheduledFor);
    await until(() => new Set(calls.map(({ scheduledFor }) => scheduledFor)).size === fired.length);
    expect([...new Set(calls.map(({ scheduledFor }) => scheduledFor))].sort()).toEqual(fired.toSorted());
    // A call that was cut off by the kill is repeated under its id, and no instant has two.
    expect(new Set(calls.map(({ webhookId }) => webhookId)).size).toBe(fired.length);
  });

  it('runs a campaign again and again until its end, each run to the user', async () => {
    const created = await ask('/campaigns', {
      name: 'Every two seconds',
      countries,
      audience: { include: [{ segment: 'lapsed-riders' }] },
      chain: rewardThenMessage,
      schedule: {
        type: 'recurring',
        everySeconds: 2,
        until: new Date(Date.now() + 30_000).toISOString(),
        overlap: 'buffer-one',
      },
    });
    const { id } = z.object({ id: z.string() }).parse(created);
    const started = z
      .object({ scheduleId: z.string(), nextRunAt: z.string() })
      .parse(await ask(`/campaigns/${id}/start`, {}));
    const runs = async () => {
      const list = z.object({ items: z.array(z.object({ runId: z.string(), state: z.string() })) });
      return list.parse(await ask(`/runs?campaignId=${id}`)).items;
    };
    await until(async () => (await runs()).filter(({ state }) => state.startsWith('completed')).length >= 2);
    await ask(`/schedules/${started.scheduleId}/disable`, { reason: 'enough' });
    await until(async () => (await runs()).every(({ state }) => /^(completed|cancelled)/.test(state)));
    for (const { runId, state } of await runs()) {
      expect((await muster.api.report(runId)).balanced).toBe(true);
      if (state.startsWith('completed')) expect(violations(await muster.evidence(runId, 'lapsed-riders'))).toEqual([]);
    }
    expect(await ask(`/campaigns/${id}`)).toMatchObject({ nextRunAt: null });
  });
});
