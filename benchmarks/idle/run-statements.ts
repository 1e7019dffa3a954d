import { setTimeout as wait } from 'node:timers/promises';
import { awaitEnd, usersPerBatch } from '../campaign-times.ts';
import { startInstallation } from '../installation.ts';
import { rounded, type Table } from '../results.ts';
import type { Servers } from '../servers.ts';
import { callsIn, countWindow } from './counted-window.ts';
import { statementRows } from './statement-rows.ts';

/** Counts the statements of a campaign while it runs. Its batches cause few, because they are grouped. */
const country = 'SG';
/** Audience larger than any machine can process in the window. */
const users = 50_000_000;
const inFlight = 100;
const latencyMs = 20;
const settleMs = 5000;
const windowMs = 15_000;
const pollMs = 100;

export async function measureRun({ infrastructure, stub }: Servers): Promise<Table[]> {
  const url = `${stub.url}/batches/full/${latencyMs}`;
  const type = { url, answerForm: 'full' as const, concurrency: inFlight / 2 };
  const installation = await startInstallation({
    infrastructure,
    extent: 'whole',
    countries: [country],
    partitionsPerShard: 6,
    segmentationUrl: stub.url,
    actionTypes: { 'award-reward': type, 'send-message': type },
    workerSlots: [inFlight],
  });
  try {
    const chain = [{ action: 'award-reward' }, { action: 'send-message' }];
    const campaign = { name: 'a long run', countries: [country], segment: String(users), chain };
    const campaignId = await installation.api.start(campaign);
    const answered = async () => (await stub.progress(campaignId, chain.length))?.answered ?? 0;
    while ((await answered()) === 0) await wait(pollMs);
    await wait(settleMs);
    const before = await answered();
    const counted = await countWindow(installation.databaseUrl, windowMs);
    const batches = (await answered()) - before;
    const run = await installation.api.run(campaignId);
    if (!run || run.endedAt) throw new Error('the run ended before its statements were counted');
    await installation.api.control(run.runId, 'cancel');
    await awaitEnd(installation, campaignId);
    const perWindow = (value: number) => rounded((value * windowMs) / 1000 / counted.seconds);
    return [
      {
        title: `A run, ${latencyMs} ms, ${inFlight} calls in flight: in 15 s`,
        rows: [
          {
            statements: perWindow(callsIn(counted)),
            commits: perWindow(counted.commits),
            'log, bytes per user and step': rounded(
              counted.logBytes / Math.max(1, batches * usersPerBatch * chain.length),
            ),
            batches: perWindow(batches),
          },
        ],
      },
      { title: 'Its statements', rows: statementRows(counted, windowMs / 1000) },
    ];
  } finally {
    await installation.stop();
  }
}
