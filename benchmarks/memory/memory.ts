import { residentMiB } from '../cpu.ts';
import { startEngine, type Variant } from '../engine-under-test.ts';
import { publish, summarize } from '../results.ts';
import { startStub } from '../stub/stub.ts';
import { startLocalInfrastructure } from '../../shared/infrastructure/local.ts';

/**
 * Measures if the memory of trigger and worker grows with the audience. Memory is sampled while the campaigns run, one
 * after the other, in the same processes.
 */
const question = 'Resident MiB of trigger and worker for 100,000 and 1,000,000 users';
const sampleMs = 100;
const variant: Variant = { form: 'full', latencyMs: 0, inFlight: 200 };
const audiences = { small: 100_000, large: 1_000_000 };

export async function benchmarkMemory(rounds: number): Promise<void> {
  const infrastructure = await startLocalInfrastructure({ environment: process.env, report: console.error });
  const stub = await startStub();
  const engine = await startEngine({ infrastructure, stub, variants: [variant] });
  const memoryOf = (process: 'trigger' | 'worker') =>
    Math.max(0, ...(engine.processes[process]?.() ?? []).map(residentMiB));
  const peaks = {
    trigger: {
      small: [] as { rate: number; cpu: Record<string, number> }[],
      large: [] as { rate: number; cpu: Record<string, number> }[],
    },
    worker: {
      small: [] as { rate: number; cpu: Record<string, number> }[],
      large: [] as { rate: number; cpu: Record<string, number> }[],
    },
  };
  try {
    await engine.runCampaign(audiences.large, variant);
    for (let round = 1; round <= rounds; round++) {
      for (const size of ['small', 'large'] as const) {
        const peak = { trigger: 0, worker: 0 };
        const sampler = setInterval(() => {
          peak.trigger = Math.max(peak.trigger, memoryOf('trigger'));
          peak.worker = Math.max(peak.worker, memoryOf('worker'));
        }, sampleMs);
        await engine.runCampaign(audiences[size], variant);
        clearInterval(sampler);
        for (const process of ['trigger', 'worker'] as const)
          peaks[process][size].push({ rate: peak[process], cpu: {} });
      }
    }
    publish(
      'memory',
      question,
      (['trigger', 'worker'] as const).flatMap((process) => [
        summarize(`${process}, 100,000 users`, 'peak MiB', peaks[process].small),
        summarize(`${process}, 1,000,000 users`, 'peak MiB', peaks[process].large, peaks[process].small),
      ]),
    );
  } finally {
    await engine.stop();
    await stub.stop();
    await infrastructure.stop();
  }
}
