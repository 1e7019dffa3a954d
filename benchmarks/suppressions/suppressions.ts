import type { Pool } from 'pg';
import { pino } from 'pino';
import type { ClaimedStep, StepDone, StepLedger } from '../../shared/ports/step-ledger.ts';
import { digestOfLost } from '../../shared/domain/step/lost-users.ts';
import { usersOf } from '../../shared/domain/step/users-text.ts';
import { createHotPathPool, createPool } from '../../shared/postgres/connection/pool.ts';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { createStepLedger } from '../../shared/postgres/ledger/step-ledger.ts';
import { createSuppressionStore } from '../../services/api/withheld/suppressions/postgres/suppression-store.ts';
import { residentMiB, startCpuMeter, withDescendants } from '../cpu.ts';
import { createDatabase } from '../own-database.ts';
import { startPostgresAlone } from '../postgres-alone.ts';
import { median, publishTables, rounded, type Row } from '../results.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';
import { batchUsers, userOf, writeEndedRun, writeFeed } from '../written-run.ts';

/**
 * Measures the cost of a suppression list per batch. Only the ledger is measured, with the flushes of a worker: each
 * flush records a group of steps and claims the next group. The four cases are: no list; a list of another action type;
 * a list of ten million people, none of them in the audience; and the same list with some users of the audience.
 * Batches with users on the list are split and claimed a second time.
 */
const question = 'CPU microseconds of a claimed and recorded batch of 100 users';
const group = 200;
const actionType = 'send-message';

interface Kind {
  name: string;
  /** Batches per user on the list of the measured action type: one user in this many batches is on it. 0 for none. */
  everyBatches: number;
  /** `none`: an empty list; `other`: a list of another action type; `own`: a list of the measured action type. */
  list: 'none' | 'other' | 'own';
}

const kinds: readonly Kind[] = [
  { name: 'no list', list: 'none', everyBatches: 0 },
  { name: 'a list of another action type', list: 'other', everyBatches: 0 },
  { name: 'on none of it', list: 'own', everyBatches: 0 },
  { name: 'one user of every tenth batch on it', list: 'own', everyBatches: 10 },
  { name: 'one user of every batch on it', list: 'own', everyBatches: 1 },
];

export async function benchmarkSuppressions({ rounds, quick }: { rounds: number; quick: boolean }): Promise<void> {
  const people = quick ? 100_000 : 10_000_000;
  const batches = quick ? 2000 : 20_000;
  const postgres = await startPostgresAlone(databaseSettings);
  try {
    if (!quick) await warmDatabase(postgres.databaseUrl);
    const { url, drop } = await createDatabase(postgres.databaseUrl);
    await migrate(url);
    const deps = { connectionString: url, applicationName: 'suppressions', logger: pino({ level: 'silent' }) };
    const pool = createPool({ ...deps, max: 2 });
    const hot = createHotPathPool({ ...deps, max: 2 });
    try {
      await writeList(pool, people);
      const turns = new Map(kinds.map((kind) => [kind, [] as Turn[]]));
      for (let round = 0; round <= rounds; round++) {
        for (const kind of kinds) {
          const turn = await takeTurn({ pool, hot, kind, batches, pids: () => withDescendants(postgres.pid()) });
          // The first round is a warm-up.
          if (round > 0) turns.get(kind)?.push(turn);
        }
        console.error(`round ${round} of ${rounds}`);
      }
      const rows = [...turns].map(([{ name }, of]) => rowOf(name, of));
      publishTables('suppressions', question, [{ title: `A list of ${people.toLocaleString('en')} people`, rows }]);
    } finally {
      await Promise.all([pool.end(), hot.end()]);
      await drop();
    }
  } finally {
    await postgres.stop();
  }
}

interface Turn {
  ours: number;
  postgres: number;
  wallMicros: number;
  residentMiB: number;
  suppressed: number;
}

interface TurnTerms {
  pool: Pool;
  hot: Pool;
  kind: Kind;
  batches: number;
  pids: () => number[];
}

async function takeTurn({ pool, hot, kind, batches, pids }: TurnTerms): Promise<Turn> {
  const feedId = await prepare(pool, kind, batches);
  const ledger = createStepLedger({ pool: hot, owner: 'bench', slot: 0, leaseMs: 600_000 });
  const meter = startCpuMeter({ ours: () => [process.pid], postgres: pids });
  const startedMs = performance.now();
  const suppressed = await flushAll(ledger, feedId, batches);
  const wallMicros = ((performance.now() - startedMs) * 1000) / batches;
  const used = meter();
  const of = (name: string) => (used[name] ?? 0) / batches;
  return { ours: of('ours'), postgres: of('postgres'), wallMicros, residentMiB: residentMiB(process.pid), suppressed };
}

/** Flushes like a worker, but makes no calls: each flush records the steps that the previous flush claimed. */
async function flushAll(ledger: StepLedger, feedId: string, batches: number): Promise<number> {
  let results: StepDone[] = [];
  let suppressed = 0;
  for (let from = 1; from <= batches || results.length > 0; from += group) {
    const size = Math.max(0, Math.min(group, batches - from + 1));
    const claims = Array.from({ length: size }, (_, index) => ({ feedId, batchNo: from + index, step: 1 }));
    const flushed = await ledger.flush({ results, claims, begins: [], actionTypeOf: () => actionType });
    const children = flushed.children.flatMap((each) => each.claims);
    results = [...flushed.claimed, ...children].map(resultOf);
    for (const { failures } of results) suppressed += failures.length;
  }
  return suppressed;
}

function resultOf({ feedId, batchNo, step, epoch, attempts, size, users, suppressed = [] }: ClaimedStep): StepDone {
  const gone = new Set(suppressed.map(({ user }) => user));
  const left = gone.size === 0 ? [] : usersOf(users).filter((user) => !gone.has(user));
  const failures = [...gone].map((user) => {
    return { user, outcome: 'suppressed', reason: 'muster.suppression-list', detail: null } as const;
  });
  return {
    feedId,
    batchNo,
    step,
    epoch,
    state: 'done',
    rest: 'succeeded',
    refused: 0,
    failures,
    attempts,
    restUsers: gone.size === 0 ? size : 0,
    lostDigest: digestOfLost([...gone]),
    children: left.length === 0 ? [] : [{ users: left, delayMs: 0, attempts, open: false, claim: true }],
  };
}

/** Fills the list with people outside of every audience. Their ids sort between those of the audience's users. */
async function writeList(pool: Pool, people: number): Promise<void> {
  await createSuppressionStore({ pool }).add(actionType, ['first'], null);
  for (let from = 0; from < people; from += 500_000) {
    await pool.query(
      `insert into suppressed_people (list_no, user_id)
       select 1, 'user-' || lpad(n::text, 9, '0') || 'x' from generate_series($1::int, $2::int) n`,
      [from, Math.min(people, from + 500_000) - 1],
    );
  }
  await pool.query('update suppression_lists set people = $1', [people]);
  await pool.query('vacuum analyze suppressed_people');
}

/** Sets up the list for this case, and a completely fed feed. Returns the id of the feed. */
async function prepare(pool: Pool, { list, everyBatches }: Kind, batches: number): Promise<string> {
  const name = list === 'other' ? 'award-points' : actionType;
  await pool.query('update suppression_lists set action_type = $1, people = $2', [name, list === 'none' ? 0 : 1]);
  await pool.query(`delete from suppressed_people where user_id like 'user-_________'`);
  const users = Array.from({ length: everyBatches === 0 ? 0 : batches / everyBatches }, (_, index) =>
    userOf(index * everyBatches * batchUsers + 7),
  );
  await pool.query('insert into suppressed_people (list_no, user_id) select 1, * from unnest($1::text[])', [users]);
  const runId = await writeEndedRun(pool, { name: 'Suppressed' });
  const feedId = await writeFeed(pool, { runId, country: 'SG', first: 0, batches }, []);
  await pool.query('checkpoint');
  return feedId;
}

function rowOf(name: string, turns: readonly Turn[]): Row {
  const of = (figure: (turn: Turn) => number) => rounded(median(turns.map(figure)));
  return {
    list: name,
    'worker µs': of(({ ours }) => ours),
    'Postgres µs': of(({ postgres }) => postgres),
    'wall µs': of(({ wallMicros }) => wallMicros),
    'suppressed users': of(({ suppressed }) => suppressed),
    'MiB resident': of((turn) => turn.residentMiB),
  };
}
