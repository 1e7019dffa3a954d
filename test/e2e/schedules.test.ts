import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  addClientEndpointKey,
  createCampaign,
  createClient,
  createSchedule,
  disableSchedule,
  getCampaign,
  listOccurrences,
  listRuns,
  pauseSchedule,
  startCampaign,
} from '../../sdk/generated/sdk.gen.ts';
import { violations } from '../support/evidence.ts';
import { countries, rewardThenMessage, startInstallation, type Installation } from './installation.ts';

/** Calls of a client's service. */
const calls: { webhookId: string; scheduledFor: string }[] = [];
const text = z.string();
const receiver = createServer((request, response) => {
  const [webhookId, scheduledFor] = [request.headers['webhook-id'], request.headers['muster-scheduled-for']];
  calls.push({ webhookId: text.parse(webhookId), scheduledFor: text.parse(scheduledFor) });
  request.resume();
  response.end('{}');
});

describe('schedules with all services in one process', () => {
  let muster: Installation;
  let port = 0;
  const api = () => ({ client: muster.api.client });

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
    const egress = { allow: [{ cidr: '127.0.0.0/8', port }] };
    const { id } = (await createClient({ ...api(), body: { name: 'shop', endpoint: { egress } } })).data;
    await addClientEndpointKey({ ...api(), path: { id, endpoint: 'default' }, body: {} });
  });
  afterAll(async () => {
    await muster.stop();
    receiver.close();
  });

  it('call once for each instant, even if a process is killed, and record every occurrence', async () => {
    const target = { client: 'shop', url: `http://127.0.0.1:${port}/hook` };
    const body = { name: 'each second', everySeconds: 1, misfire: 'fire-all', target } as const;
    const { data: schedule } = await createSchedule({ ...api(), body });
    const path = { id: schedule.id };
    await until(() => calls.length >= 3);
    const service = muster.services.get('all');
    await service?.end('SIGKILL');
    await muster.restart('all');
    const before = calls.length;
    await until(() => calls.length >= before + 3);
    const { data: paused } = await pauseSchedule({ ...api(), path, body: {} });

    const { items } = (await listOccurrences({ ...api(), path, query: { limit: 1000 } })).data;
    const decided = items.reduce((sum, { instants }) => sum + instants, 0);
    const seconds = (Date.parse(paused.decidedUntil) - Date.parse(schedule.createdAt)) / 1000;
    expect(decided).toBe(Math.floor(seconds));
    const fired = items.filter(({ state }) => state === 'fired').map(({ scheduledFor }) => scheduledFor);
    await until(() => new Set(calls.map(({ scheduledFor }) => scheduledFor)).size === fired.length);
    expect([...new Set(calls.map(({ scheduledFor }) => scheduledFor))].sort()).toEqual(fired.toSorted());
    // A call that the kill interrupted is repeated under its id, so each instant has exactly one id.
    expect(new Set(calls.map(({ webhookId }) => webhookId)).size).toBe(fired.length);
  });

  it('run a recurring campaign until its end, and every run serves all users', async () => {
    const definition = {
      name: 'Every two seconds',
      countries,
      audience: { include: [{ segment: 'lapsed-riders' }] },
      chain: rewardThenMessage,
      schedule: {
        type: 'recurring' as const,
        everySeconds: 2,
        until: new Date(Date.now() + 30_000).toISOString(),
        overlap: 'buffer-one' as const,
      },
    };
    const { id } = (await createCampaign({ ...api(), body: definition })).data;
    const started = (await startCampaign({ ...api(), path: { id } })).data;
    const runs = async () => (await listRuns({ ...api(), query: { campaignId: id } })).data.items;
    await until(async () => (await runs()).filter(({ state }) => state.startsWith('completed')).length >= 2);
    await disableSchedule({ ...api(), path: { id: started.scheduleId ?? '' }, body: { reason: 'enough' } });
    let ended = await runs();
    await until(async () => {
      ended = await runs();
      return ended.every(({ state }) => /^(completed|cancelled)/.test(state));
    });
    for (const { runId, state } of ended) {
      expect((await muster.api.report(runId)).balanced).toBe(true);
      if (state.startsWith('completed')) expect(violations(await muster.evidence(runId, 'lapsed-riders'))).toEqual([]);
    }
    expect((await getCampaign({ ...api(), path: { id } })).data).toMatchObject({ nextRunAt: null });
  });
});
