import { setTimeout as wait } from 'node:timers/promises';
import { awaitEnd } from '../campaign-times.ts';
import { startInstallation, type Installation } from '../installation.ts';
import { percentile, publishTables, rounded, type Row } from '../results.ts';
import { withServers } from '../servers.ts';
import { machineClockMs } from '../stub/call-log.ts';
import type { Stub } from '../stub/stub.ts';

/**
 * Measures the time from the API's answer to a pause request until the last call. One run of two steps is paused and
 * resumed repeatedly under load, once with quick endpoints and once with slow endpoints. The endpoints report when
 * calls arrived.
 */
const question = 'Milliseconds from the answer to a pause until the last call, and what follows';
const country = 'SG';
const users = 50_000_000;
const pollMs = 20;
/**
 * Upper bound on a delay before each pause. Pauses at a fixed phase of the periodic queries would show only one of many
 * cases.
 */
const longestExtraMs = 700;
const loadMs = 1500;
const patienceMs = 60_000;

const situations = [
  { name: 'endpoints of 20 ms, 100 calls in flight', latencyMs: 20, concurrency: 50 },
  { name: 'endpoints of 1 s, 100 calls in flight', latencyMs: 1000, concurrency: 50 },
] as const;

type Situation = (typeof situations)[number];

interface Pause {
  lastCallMs: number;
  pausedMs: number;
  firstCallMs: number;
}

export async function benchmarkStopping(pauses: number): Promise<void> {
  await withServers({}, async ({ infrastructure, stub }) => {
    const rows: Row[] = [];
    for (const situation of situations) {
      const { latencyMs, concurrency } = situation;
      const type = { url: `${stub.url}/batches/full/${latencyMs}`, answerForm: 'full', concurrency } as const;
      const installation = await startInstallation({
        infrastructure,
        countries: [country],
        partitionsPerShard: 6,
        segmentationUrl: stub.url,
        actionTypes: { 'step-one': type, 'step-two': type },
        workerSlots: [2 * concurrency, 2 * concurrency],
      });
      try {
        rows.push(...rowsOf(situation, await measure(installation, stub, pauses)));
      } finally {
        await installation.stop();
      }
    }
    publishTables('stopping', question, [{ title: `${pauses} pauses under load`, rows }]);
  });
}

async function measure(installation: Installation, stub: Stub, pauses: number): Promise<Pause[]> {
  const { api } = installation;
  const chain = [{ action: 'step-one' }, { action: 'step-two' }];
  const campaignId = await api.start({ name: 'Stopping', countries: [country], segment: String(users), chain });
  await callsAfter(stub, campaignId, 0);
  const run = await api.run(campaignId);
  if (!run) throw new Error('the campaign has calls and no run');
  const measured: Pause[] = [];
  while (measured.length < pauses) {
    await wait(loadMs + Math.random() * longestExtraMs);
    await api.control(run.runId, 'pause');
    const answeredAt = machineClockMs();
    await awaitState(installation, campaignId, 'paused');
    const pausedMs = machineClockMs() - answeredAt;
    const { lastCallAt, called } = await callsOf(stub, campaignId);
    await api.control(run.runId, 'resume');
    const resumedAt = machineClockMs();
    await callsAfter(stub, campaignId, called);
    measured.push({
      lastCallMs: Math.max(0, lastCallAt - answeredAt),
      pausedMs,
      firstCallMs: machineClockMs() - resumedAt,
    });
    const { lastCallMs } = measured.at(-1) ?? { lastCallMs: 0 };
    console.error(`pause ${measured.length}: last call after ${Math.round(lastCallMs)} ms`);
  }
  await api.control(run.runId, 'cancel');
  await awaitEnd(installation, campaignId);
  return measured;
}

async function callsOf(stub: Stub, campaignId: string): Promise<{ lastCallAt: number; called: number }> {
  const steps = await Promise.all([stub.progress(campaignId, 1), stub.progress(campaignId, 2)]);
  return {
    lastCallAt: Math.max(0, ...steps.map((step) => step?.lastCallAt ?? 0)),
    called: steps.reduce((sum, step) => sum + (step?.called ?? 0), 0),
  };
}

/** Resolves when the number of calls exceeds `called`. Throws if that takes too long. */
async function callsAfter(stub: Stub, campaignId: string, called: number): Promise<void> {
  const giveUpAt = machineClockMs() + patienceMs;
  while ((await callsOf(stub, campaignId)).called <= called) {
    if (machineClockMs() > giveUpAt) throw new Error('nobody is called any more');
    await wait(pollMs);
  }
}

async function awaitState({ api }: Installation, campaignId: string, state: string): Promise<void> {
  const giveUpAt = machineClockMs() + patienceMs;
  for (;;) {
    const run = await api.run(campaignId);
    if (run?.state === state) return;
    if (machineClockMs() > giveUpAt) throw new Error(`the run is ${run?.state ?? 'missing'} for too long`);
    await wait(pollMs);
  }
}

function rowsOf({ name }: Situation, pauses: readonly Pause[]): Row[] {
  const row = (what: string, values: readonly number[]): Row => ({
    situation: name,
    'time, ms': what,
    p50: rounded(percentile(values, 0.5)),
    p99: rounded(percentile(values, 0.99)),
    max: rounded(Math.max(...values)),
  });
  return [
    row(
      'pause answered to last call',
      pauses.map(({ lastCallMs }) => lastCallMs),
    ),
    row(
      'pause answered to paused',
      pauses.map(({ pausedMs }) => pausedMs),
    ),
    row(
      'resume answered to first call',
      pauses.map(({ firstCallMs }) => firstCallMs),
    ),
  ];
}
