import { ConfigurationError } from '../../shared/runtime/configuration/configuration-error.ts';
import { usersPerBatch } from '../campaign-times.ts';
import { startCpuMeter, startForeignLoadMeter, withDescendants } from '../cpu.ts';
import { startEngine, type Variant } from '../engine-under-test.ts';
import { publishTables, ratioByRound } from '../results.ts';
import { withServers } from '../servers.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';
import { sourceOf } from '../source-of.ts';
import {
  measureAlternately,
  isQuiet,
  microsOf,
  quietRounds,
  rowsOf,
  type Version,
  type Turn,
} from '../two-versions.ts';
import { deleteMeasuredEffects, writeCappedHistory, type Nearness } from './capped-history.ts';
import type { Compared } from './guard.ts';

/**
 * Compares the cost of the chain with its cost at another commit. Both engines use one Kafka, one Postgres and one
 * stub, each with a database and topics of its own, and take turns. The engine that begins changes from round to round,
 * and only adjacent turns are compared. The waiting engine is frozen; otherwise its idle load on broker and database
 * would count for the other engine. Turns are shorter than a consumer's session.
 *
 * With `caps`, only the engine of this tree has a cap on its action types, and users with effects of earlier campaigns.
 * Without another commit, both engines have the source of this tree.
 */
const variants: readonly MeasuredVariant[] = [
  { variant: { form: 'full', latencyMs: 0, inFlight: 100 }, batches: 15_000, quickBatches: 5000 },
  { variant: { form: 'full', latencyMs: 20, inFlight: 100 }, batches: 8000, quickBatches: 5000 },
  { variant: { form: 'full', latencyMs: 50, inFlight: 100 }, batches: 6000, quickBatches: 4000 },
  { variant: { form: 'full', latencyMs: 50, inFlight: 10 }, batches: 1000, quickBatches: 400 },
];
/**
 * Batches that an engine runs after it was frozen, before anything is measured. They give it time to catch up with what
 * fell due meanwhile.
 */
const mostThawBatches = 500;

/** Each engine warms up in two halves, so that neither begins on a younger broker and database than the other. */
const warmUpOrder = ['this', 'other', 'other', 'this'] as const;

interface MeasuredVariant {
  variant: Variant;
  batches: number;
  quickBatches: number;
}

export interface AgainstOptions {
  /** Commit to compare with; undefined means this tree. */
  ref: string | undefined;
  caps: Nearness | undefined;
  rounds: number;
  quick: boolean;
  /** Name of the only variant to run, such as `50 ms, 10 in flight`; undefined runs all. */
  only: string | undefined;
}

/**
 * @returns ratio of the CPU µs per batch, summed over all processes, for each variant
 * @throws {ConfigurationError} if no variant has the name `only`
 */
export async function compareChains({ ref, caps, rounds, quick, only }: AgainstOptions): Promise<Compared[]> {
  const requested = variants.filter(({ variant }) => only === undefined || nameOf(variant) === only);
  if (requested.length === 0) {
    const names = variants.map(({ variant }) => JSON.stringify(nameOf(variant)));
    throw new ConfigurationError([`--only ${JSON.stringify(only)}: there are ${names.join(', ')}`]);
  }
  const other = ref === undefined ? undefined : sourceOf(ref);
  try {
    return await withServers(databaseSettings, async ({ infrastructure, stub }) => {
      const start = (root?: string) =>
        startEngine({
          infrastructure,
          stub,
          variants: requested.map(({ variant }) => variant),
          ...(root !== undefined && { root }),
        });
      const engines = { this: await start(), other: await start(other?.root) };
      if (caps) {
        const users = usersPerBatch * Math.max(...requested.map((each) => (quick ? each.quickBatches : each.batches)));
        await writeCappedHistory(engines.this, users, caps);
      }
      // Otherwise users would reach the cap after some campaigns.
      const reset = async (side: Version) => {
        if (caps && side === 'this') await deleteMeasuredEffects(engines.this);
      };
      const takeTurn = async (side: Version, variant: Variant, batches: number): Promise<Turn> => {
        const engine = engines[side];
        engines[side === 'this' ? 'other' : 'this'].signal('SIGSTOP');
        engine.signal('SIGCONT');
        await reset(side);
        await engine.runCampaign(Math.min(mostThawBatches, batches / 8) * usersPerBatch, variant);
        await reset(side);
        const processes = { ...engine.processes, endpoints: () => [stub.pid] };
        const readForeign = startForeignLoadMeter(() => withDescendants(process.pid));
        const read = startCpuMeter(processes);
        const seconds = await engine.runCampaign(batches * usersPerBatch, variant);
        const cpu = Object.entries(read()).map(([name, micros]) => [name, micros / batches] as const);
        return { rate: batches / seconds, cpu: Object.fromEntries(cpu), foreignLoad: readForeign() };
      };
      try {
        await warmDatabase(infrastructure.databaseUrl);
        const tables = [];
        const compared: Compared[] = [];
        for (const { variant, ...sizes } of requested) {
          const batches = quick ? sizes.quickBatches : sizes.batches;
          for (const engine of Object.values(engines)) engine.signal('SIGCONT');
          console.error(`warming up: ${nameOf(variant)}`);
          for (const side of warmUpOrder) {
            await reset(side);
            await engines[side].runCampaign((batches / 2) * usersPerBatch, variant);
          }
          const measured = await measureAlternately(rounds, 'batches', (side) => takeTurn(side, variant, batches));
          const { quiet, note } = quietRounds(measured);
          tables.push({
            title: `${nameOf(variant)}; ${note}`,
            rows: rowsOf(quiet, { one: 'batch', many: 'batches' }),
          });
          const ratio = ratioByRound(microsOf(quiet, 'this'), microsOf(quiet, 'other'));
          compared.push({ name: nameOf(variant), ratio, quietRounds: measured.filter(isQuiet).length });
        }
        publishTables(
          caps ? `chain-caps-${caps}` : 'chain-against',
          `This tree${caps ? ` with a ${caps} cap` : ''} beside ${other?.description ?? 'this tree without caps'}, interleaved`,
          tables,
        );
        return compared;
      } finally {
        for (const engine of Object.values(engines)) engine.signal('SIGCONT');
        await Promise.all([engines.this.stop(), engines.other.stop()]);
      }
    });
  } finally {
    other?.remove();
  }
}

function nameOf({ latencyMs, inFlight }: Variant): string {
  return `${latencyMs} ms, ${inFlight} in flight`;
}
