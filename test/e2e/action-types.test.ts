import pg from 'pg';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../cli/program.ts';
import { createTestTerminal } from '../../cli/frame/test-terminal.ts';
import { createCampaign, getShard } from '../../sdk/generated/sdk.gen.ts';
import type { Shard } from '../../sdk/generated/types.gen.ts';
import { violations } from '../support/evidence.ts';
import { countries, startInstallation, type Installation } from './installation.ts';

describe('an installation that is not restarted', () => {
  let muster: Installation;
  let pids: number[];

  beforeAll(async () => {
    muster = await startInstallation({
      workers: 2,
      sandbox: { SANDBOX_SEGMENTS: 'riders=20000,few=3000', SANDBOX_POINTS_LATENCY_MS: '60' },
    });
    pids = [...muster.services.values()].map(({ pid }) => pid);
  });
  afterAll(() => muster.stop());

  async function cli(...args: string[]) {
    const terminal = createTestTerminal();
    const onInterrupt = () => new AbortController().signal;
    const environment = muster.cliEnvironment;
    const code = await runProgram(args, { terminal, environment, input: Readable.from([]), onInterrupt });
    return { code, ...terminal.written };
  }

  const pointsUrl = () => `${muster.sandboxUrl}/points/v1/batches`;
  const chain = [{ action: 'award-stars', params: { points: 3 } }];
  const displayed = async (id: string) => (await getShard({ client: muster.api.client, path: { shard: id } })).data;
  async function query(sql: string): Promise<unknown[]> {
    const client = new pg.Client(muster.database.url);
    await client.connect();
    try {
      return (await client.query<object>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  const lines = async (runId: string) => (await muster.api.report(runId)).steps;

  it('runs an action type right after its registration through the command line', async () => {
    const { client } = muster.api;
    const body = { name: 'Too early', countries, audience: { include: [{ segment: 'few' }] }, chain };
    await expect(createCampaign({ client, body })).rejects.toMatchObject({ problem: { status: 422 } });

    const created = await cli(
      'action-types',
      'create',
      'award-stars',
      `url=${pointsUrl()}`,
      'class=B',
      'concurrency=40',
    );
    expect(created).toMatchObject({ code: 0, out: 'award-stars revision 1\n' });
    const runId = await muster.api.run({ name: 'Stars', countries, segment: 'few', chain });
    await muster.api.awaitEnd(runId);

    expect(await lines(runId)).toMatchObject([{ succeeded: 3000, failed: 0 }]);
    expect(violations(await muster.evidence(runId, 'few'))).toEqual([]);
    expect([...muster.services.values()].map(({ pid }) => pid)).toEqual(pids);
  });

  it('applies the changed settings of an action type to the next run', async () => {
    await cli('action-types', 'set', 'award-stars', 'batchSize=250', 'timeoutMs=3000');
    const runId = await muster.api.run({ name: 'Larger batches', countries: ['SG'], segment: 'few', chain });
    const ended = await muster.api.awaitEnd(runId);

    // Two fifths of all are in Singapore.
    expect(ended.steps).toMatchObject([{ succeeded: 1200 }]);
    const rows = await query(
      'select max(n) as most, count(*)::int as batches from batches where feed in (select feed from feeds where batch_users = 250)',
    );
    expect(rows).toEqual([{ most: 250, batches: 5 }]);
    expect(violations(await muster.evidence(runId, 'few'))).toEqual([]);
  });

  it('row 28: adds partitions during a run and skips no user', async () => {
    const runId = await muster.api.run({ name: 'Raised', countries: ['SG'], segment: 'riders', chain });
    for (;;) {
      const [line] = (await muster.api.progress(runId)).steps;
      if ((line?.succeeded ?? 0) > 1000) break;
      await wait(50);
    }
    const raised = await cli('shards', 'set', 'award-stars', 'SG', '--partitions', '12');
    expect(raised).toMatchObject({ code: 0, out: `${muster.topicPrefix}.award-stars.SG 12 partitions\n` });
    await muster.api.awaitEnd(runId);

    expect(await lines(runId)).toMatchObject([{ succeeded: 8000, failed: 0 }]);
    expect(violations(await muster.evidence(runId, 'riders'))).toEqual([]);
    const owned = async () => (await displayed('award-stars.SG')).workers.flatMap(({ partitions }) => partitions);
    // A consumer that sees the new partitions late gets messages of all of them nevertheless.
    while (new Set(await owned()).size < 12) await wait(200);
    expect((await displayed('award-stars.SG')).partitions).toEqual({ wanted: 12, actual: 12 });
  });

  it('shows which worker serves which shard, and workers without a partition as idle', async () => {
    await cli('action-types', 'create', 'award-one', `url=${pointsUrl()}`, 'class=B');
    await muster.restart('worker-3');
    const more = muster.writeConfig((config) => ({ ...config, partitionsPerShard: 1 }));
    await muster.services.get('trigger')?.end('SIGTERM');
    await muster.restart('trigger', { MUSTER_CONFIG: more });
    const runId = await muster.api.run({
      name: 'One partition',
      countries: ['SG'],
      segment: 'few',
      chain: [{ action: 'award-one', params: {} }],
    });
    await muster.api.awaitEnd(runId);

    const note = '3 workers, 1 partition: 2 have nothing to do; raise partitions';
    const sharesOf = ({ workers }: Shard) => workers.map(({ partitions }) => partitions.length).sort();
    // A worker that sees the topic late joins now: Kafka assigns the partitions again, and meanwhile no worker owns the
    // partition.
    let shard = await displayed('award-one.SG');
    while (String(sharesOf(shard)) !== '0,0,1') {
      await wait(200);
      shard = await displayed('award-one.SG');
    }
    expect(shard.notes).toContain(note);
    // Kafka may be assigning partitions again by then.
    while (!(await cli('shards')).out.includes(`award-one SG: ${note}`)) await wait(200);
    // Offsets are committed a moment after the messages are handled.
    while ((await displayed('award-one.SG')).lag.messages !== 0) await wait(200);
  });
});
