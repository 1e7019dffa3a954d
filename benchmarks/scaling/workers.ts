import { setTimeout as wait } from 'node:timers/promises';
import type { ServiceProcess } from '../../shared/infrastructure/service-process.ts';
import { startCpuMeter } from '../cpu.ts';
import { processesOf, startInstallation, type Installation } from '../installation.ts';
import { median, ratioByRound, rounded, type Row, type Table } from '../results.ts';
import type { Servers } from '../servers.ts';
import { machineClockMs } from '../stub/call-log.ts';

/**
 * Measures the throughput by the number of workers. One long campaign of two steps at 50 ms runs throughout. Workers
 * are started and stopped meanwhile, and the endpoints count their answers in windows of time. Workers have few slots,
 * so that the cores suffice for six workers.
 */
const latencyMs = 50;
const steps = 2;
const slotsPerWorker = 10;
const largeSlots = 20;
const smallSlots = 2;
const workerCounts = [1, 2, 4, 6];
const frozenMs = 8000;
/**
 * Time for Kafka's consumer group to rebalance, and for the workers to replace the backlog in the partitions that the
 * earlier workers left.
 */
const settleMs = 10_000;
const windowMs = 10_000;
const quickMs = 6000;
const users = 50_000_000;
const country = 'SG';

interface Window {
  /** Batches through both steps per second. */
  rate: number;
  /** CPU microseconds per batch, by process. */
  cpu: Record<string, number>;
}

/** Windows of a round, by name. */
type Round = Record<string, Window>;

export async function measureWorkers(
  servers: Servers,
  { rounds, quick }: { rounds: number; quick: boolean },
): Promise<Table[]> {
  const installation = await startInstallation({
    infrastructure: servers.infrastructure,
    countries: [country],
    partitionsPerShard: 6,
    segmentationUrl: servers.stub.url,
    actionTypes: actionTypesFor(servers.stub.url),
    workerSlots: [slotsPerWorker],
  });
  try {
    const chain = [{ action: 'award-reward' }, { action: 'send-message' }];
    await installation.api.start({ name: 'long', countries: [country], segment: String(users), chain });
    const field = createMeasurement(installation, servers, quick);
    await field.staff([slotsPerWorker]);
    await field.measure();
    const measured: Round[] = [];
    for (let round = 1; round <= rounds; round++) {
      measured.push(await runRound(field, round));
      const rates = Object.entries(measured.at(-1) ?? {}).map(([name, { rate }]) => `${name} ${rounded(rate)}`);
      console.error(`round ${round} of ${rounds}: ${rates.join(', ')} batches/s`);
    }
    return [
      {
        title: `Equal workers, ${slotsPerWorker} slots each, ${latencyMs} ms, 6 partitions`,
        rows: equalRows(measured),
      },
      { title: 'A second worker with a tenth of the slots', rows: unequalRows(measured) },
      { title: `One of four frozen for ${frozenMs / 1000} s`, rows: frozenRows(measured) },
    ];
  } finally {
    await installation.stop();
  }
}

function actionTypesFor(stubUrl: string) {
  // The concurrency of the action type is higher than the slots of all workers, so only the workers' slots limit the
  // calls.
  const type = { url: `${stubUrl}/batches/full/${latencyMs}`, answerForm: 'full' as const, concurrency: 100 };
  return { 'award-reward': type, 'send-message': type };
}

/** The workers that serve the long campaign, and their measurement. */
interface MeasuredInstallation {
  /** Starts and stops workers until there is one for each number of slots, and waits until they have settled. */
  staff(slots: readonly number[]): Promise<ServiceProcess[]>;
  measure(forMs?: number): Promise<Window>;
}

function createMeasurement(
  installation: Installation,
  { infrastructure, stub }: Servers,
  quick: boolean,
): MeasuredInstallation {
  let staffed: { slots: number; worker: ServiceProcess }[] = [...installation.workers].map((worker) => {
    return { slots: slotsPerWorker, worker };
  });
  const processes = { ...processesOf(installation, infrastructure), endpoints: () => [stub.pid] };
  return {
    staff: async (wanted) => {
      const kept = new Array<(typeof staffed)[number]>();
      for (const slots of wanted) {
        const at = staffed.findIndex((one) => one.slots === slots);
        const [one] = at < 0 ? [] : staffed.splice(at, 1);
        kept.push(one ?? { slots, worker: await installation.startWorker(slots) });
      }
      await Promise.all(staffed.map(({ worker }) => installation.endWorker(worker)));
      staffed = kept;
      await wait(quick ? quickMs : settleMs);
      return kept.map(({ worker }) => worker);
    },
    measure: async (forMs = quick ? quickMs : windowMs) => {
      const read = startCpuMeter(processes);
      const [before, beganAt] = [await stub.answeredInAll(), machineClockMs()];
      await wait(forMs);
      installation.services.requireRunning();
      const [after, endedAt] = [await stub.answeredInAll(), machineClockMs()];
      const batches = (after - before) / steps;
      const cpu = Object.entries(read()).map(([name, micros]) => [name, micros / Math.max(batches, 1)] as const);
      return { rate: (batches * 1000) / (endedAt - beganAt), cpu: Object.fromEntries(cpu) };
    },
  };
}

async function runRound(field: MeasuredInstallation, round: number): Promise<Round> {
  const windows: Round = {};
  const counts = round % 2 === 1 ? workerCounts : workerCounts.toReversed();
  for (const count of counts) {
    await field.staff(new Array<number>(count).fill(slotsPerWorker));
    windows[`${count} equal`] = await field.measure();
  }
  const four = await field.staff(new Array<number>(4).fill(slotsPerWorker));
  windows['before the frost'] = await field.measure(frozenMs);
  const frozen = four[0];
  if (frozen) process.kill(frozen.pid, 'SIGSTOP');
  windows['one frozen'] = await field.measure(frozenMs);
  if (frozen) process.kill(frozen.pid, 'SIGCONT');
  windows['thawed'] = await field.measure(frozenMs);

  await field.staff([largeSlots]);
  windows['large alone'] = await field.measure();
  await field.staff([largeSlots, smallSlots]);
  windows['large and small'] = await field.measure();
  await field.staff([smallSlots]);
  windows['small alone'] = await field.measure();
  return windows;
}

/** Returns the rate of this many slots if their calls never had to wait. */
function idealRate(slots: number): number {
  return (slots * 1000) / (latencyMs * steps);
}

function ratesOf(rounds: readonly Round[], name: string): number[] {
  return rounds.map((round) => round[name]?.rate ?? Number.NaN);
}

function equalRows(rounds: readonly Round[]): Row[] {
  return workerCounts.map((count) => {
    const rates = ratesOf(rounds, `${count} equal`);
    const micros = rounds.map((round) => sumOf(round[`${count} equal`]?.cpu ?? {}));
    const one = ratesOf(rounds, `${workerCounts[0] ?? 1} equal`);
    return {
      workers: count,
      'batches/s': rounded(median(rates)),
      'of ideal': rounded(median(rates) / idealRate(count * slotsPerWorker)),
      'to one worker': rounded(ratioByRound(rates, one)),
      'cores used': rounded(median(rates.map((rate, round) => (rate * (micros[round] ?? 0)) / 1e6))),
      'CPU µs per batch': rounded(median(micros)),
      'of it workers': rounded(median(rounds.map((round) => round[`${count} equal`]?.cpu['worker'] ?? 0))),
    };
  });
}

function unequalRows(rounds: readonly Round[]): Row[] {
  const [large, small, both] = ['large alone', 'small alone', 'large and small'].map((name) => ratesOf(rounds, name));
  const sums = (large ?? []).map((rate, round) => rate + (small?.[round] ?? 0));
  const row = (who: string, slots: number, rates: readonly number[] = []) => ({
    who,
    'batches/s': rounded(median(rates)),
    'of ideal': rounded(median(rates) / idealRate(slots)),
    'to the sum of both alone': rounded(ratioByRound(rates, sums)),
  });
  return [
    row(`one with ${largeSlots} slots`, largeSlots, large),
    row(`one with ${smallSlots} slots`, smallSlots, small),
    row('both', largeSlots + smallSlots, both),
  ];
}

function frozenRows(rounds: readonly Round[]): Row[] {
  const before = ratesOf(rounds, 'before the frost');
  const share = before.map((rate) => (rate * 3) / 4);
  return ['before the frost', 'one frozen', 'thawed'].map((name) => ({
    when: name,
    'batches/s': rounded(median(ratesOf(rounds, name))),
    "to the other three's share": rounded(ratioByRound(ratesOf(rounds, name), share)),
  }));
}

function sumOf(values: Record<string, number>): number {
  return Object.values(values).reduce((sum, value) => sum + value, 0);
}
