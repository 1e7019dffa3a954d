import { join } from 'node:path';
import { z } from 'zod';
import { startChild } from '../child.ts';
import { startCpuMeter } from '../cpu.ts';
import { startEngine, type EngineUnderTest, type Variant } from '../engine-under-test.ts';
import { publish, summarize } from '../results.ts';
import { usersPerBatch } from '../campaign-times.ts';
import { startStub } from '../stub/stub.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';
import { startLocalInfrastructure } from '../../shared/infrastructure/local.ts';

/**
 * Measures the cost of a batch of 100 users through a chain of two steps. A bare loop and a naive loop make the same
 * calls for comparison. All cases run in turn, for several rounds, on the same Postgres, Kafka and endpoints; ratios
 * are computed by round.
 */
const question = 'Batches of 100 users per second through a chain of two steps';
const warmUpUsers = 2_000_000;

interface Round {
  rate: number;
  cpu: Record<string, number>;
}

interface Contest {
  variant: Variant;
  batches: number;
  /** Users of the naive loop, which calls for one user at a time: few, because it is slow. */
  naiveUsers: number;
}

const contests: readonly Contest[] = [
  { variant: { form: 'full', latencyMs: 0, inFlight: 100 }, batches: 30_000, naiveUsers: 2000 },
  { variant: { form: 'compact', latencyMs: 0, inFlight: 100 }, batches: 30_000, naiveUsers: 0 },
  // On a machine with two cores, Muster leaves about one idle with 50 in flight, half of one with 100, and hardly any
  // with 200.
  { variant: { form: 'full', latencyMs: 20, inFlight: 50 }, batches: 15_000, naiveUsers: 0 },
  { variant: { form: 'full', latencyMs: 20, inFlight: 100 }, batches: 30_000, naiveUsers: 50 },
  { variant: { form: 'full', latencyMs: 20, inFlight: 200 }, batches: 30_000, naiveUsers: 0 },
];

function nameOf({ form, latencyMs, inFlight }: Variant): string {
  return `${form} answers, ${latencyMs} ms, ${inFlight} in flight`;
}

const answerOfLoop = z.object({ seconds: z.number() });

export async function benchmarkChain(rounds: number): Promise<void> {
  const infrastructure = await startLocalInfrastructure({
    environment: process.env,
    report: console.error,
    postgresSettings: databaseSettings,
  });
  const stub = await startStub();
  const loop = startChild(join(import.meta.dirname, 'bare-loop.ts'));
  await loop.receive();
  const engine = await startEngine({ infrastructure, stub, variants: contests.map(({ variant }) => variant) });

  const callLoop = async (
    variant: Variant,
    batches: number,
    usersPerCall: number,
    callsInFlight: number,
  ): Promise<number> => {
    loop.send({
      url: `${stub.url}/batches/${variant.form}/${variant.latencyMs}`,
      form: variant.form,
      batches,
      usersPerCall,
      inFlight: callsInFlight,
      databaseUrl: infrastructure.databaseUrl,
    });
    return answerOfLoop.parse(await loop.receive()).seconds;
  };
  const meter = () =>
    startCpuMeter({
      ...engine.processes,
      loop: () => [loop.pid],
      endpoints: () => [stub.pid],
    });

  try {
    await warmUp(infrastructure.databaseUrl, engine, callLoop);
    const cases = [];
    for (const contest of contests) {
      const { bare, muster, naive } = await compete(contest, rounds, { engine, callLoop, meter });
      const name = nameOf(contest.variant);
      cases.push(summarize(`bare loop, ${name}`, 'batches/s', bare));
      cases.push(summarize(`Muster, ${name}`, 'batches/s', muster, bare));
      if (naive.length > 0) {
        cases.push(summarize(`naive loop, ${name}`, 'batches/s', naive));
        cases.push(summarize(`Muster to naive, ${name}`, 'batches/s', muster, naive));
      }
    }
    publish('chain', question, cases);
  } finally {
    await engine.stop();
    await loop.stop();
    await stub.stop();
    await infrastructure.stop();
  }
}

interface Contestants {
  engine: EngineUnderTest;
  callLoop: CallLoop;
  meter: () => () => Record<string, number>;
}

type CallLoop = (variant: Variant, batches: number, usersPerCall: number, callsInFlight: number) => Promise<number>;

/**
 * Runs each variant once before measuring: a broker costs several times as much in its first minute, and V8 needs some
 * ten thousand batches to settle.
 */
async function warmUp(databaseUrl: string, engine: EngineUnderTest, callLoop: CallLoop): Promise<void> {
  console.error('warming up: database');
  await warmDatabase(databaseUrl);
  for (const { variant } of contests) {
    console.error(`warming up: ${nameOf(variant)}`);
    await engine.runCampaign(warmUpUsers, variant);
    await callLoop(variant, warmUpUsers / usersPerBatch, usersPerBatch, variant.inFlight);
  }
}

async function compete(
  { variant, batches, naiveUsers }: Contest,
  rounds: number,
  { engine, callLoop, meter }: Contestants,
): Promise<{ bare: Round[]; muster: Round[]; naive: Round[] }> {
  const measure = async (run: () => Promise<number>, count: number): Promise<Round> => {
    const read = meter();
    const seconds = await run();
    const cpu = Object.entries(read()).map(([name, micros]) => [name, micros / count] as const);
    return { rate: count / seconds, cpu: Object.fromEntries(cpu.filter(([, micros]) => micros >= 1)) };
  };
  const result: Record<'bare' | 'muster' | 'naive', Round[]> = { bare: [], muster: [], naive: [] };
  for (let round = 1; round <= rounds; round++) {
    console.error(`round ${round} of ${rounds}: ${nameOf(variant)}`);
    result.bare.push(await measure(() => callLoop(variant, batches, usersPerBatch, variant.inFlight), batches));
    result.muster.push(await measure(() => engine.runCampaign(batches * usersPerBatch, variant), batches));
    if (naiveUsers > 0) {
      result.naive.push(await measure(() => callLoop(variant, naiveUsers, 1, 1), naiveUsers / usersPerBatch));
    }
  }
  return result;
}
