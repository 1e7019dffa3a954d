import { usersPerBatch } from '../campaign-times.ts';
import { startCpuMeter } from '../cpu.ts';
import { startEngine } from '../engine-under-test.ts';
import type { Stub } from '../stub/stub.ts';
import type { LocalInfrastructure } from '../../shared/infrastructure/local.ts';
import { perBatch, type Contestant } from './contestant.ts';

export interface MusterOptions {
  infrastructure: LocalInfrastructure;
  stub: Stub;
  latencies: readonly number[];
  inFlight: number;
}

/**
 * Starts Muster as it runs in production. Its worker limits the calls of both steps together, as the gate of the other
 * contestants does. Its turns always include paging the segment and feeding batches.
 */
export async function startMuster({
  infrastructure,
  stub,
  latencies,
  inFlight,
}: MusterOptions): Promise<{ contestant: Contestant; stop: () => Promise<void> }> {
  const variantOf = (latencyMs: number) => ({ form: 'full' as const, latencyMs, inFlight });
  const engine = await startEngine({ infrastructure, stub, variants: latencies.map(variantOf), sharesSlots: true });
  const processes = { ...engine.processes, endpoints: () => [stub.pid] };
  return {
    contestant: {
      name: 'Muster',
      promise: 'any',
      takeTurn: async (latencyMs, batches) => {
        const read = startCpuMeter(processes);
        const seconds = await engine.runCampaign(batches * usersPerBatch, variantOf(latencyMs));
        return { rate: batches / seconds, cpu: perBatch(read(), batches) };
      },
    },
    stop: () => engine.stop(),
  };
}
