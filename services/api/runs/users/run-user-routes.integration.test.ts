import { beforeEach, describe, expect, it } from 'vitest';
import { userExplanation } from '../../../../shared/contracts/runs/explanations.ts';
import { runUser, type RunUser } from '../../../../shared/contracts/runs/run-users.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { usersOf } from '../../../../shared/domain/step/users-text.ts';
import type { ClaimedStep, StepLedger, StepRef, StepResult } from '../../../../shared/ports/step-ledger.ts';
import { authorized } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import {
  childOf,
  doneOf,
  failed,
  someBatches,
  startFedRun,
  startRun,
  waitingOf,
} from '../../../../test/support/conformance/execution-subject.ts';
import { createPostgresExecutionStores } from '../../../../test/support/postgres-execution-stores.ts';
import { createChance, type Chance } from '../../../../test/simulation/seeded.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { csvRecords, rowStream } from '../../frame/streams/stream-rows.ts';
import { problem } from '../../frame/problems.contract.ts';

const on = apiOnPostgres();
const usersShape = pageShape(runUser);

let runId: string;
let feedId: string;
let ledger: StepLedger;
beforeEach(async () => {
  const subject = createPostgresExecutionStores(on);
  ledger = subject.ledgerOf('a');
  ({ runId, feedId } = await startFedRun(subject, someBatches(11, 3)));
});

const path = (ofRunId = runId) => `/v1/runs/${publicId('run', ofRunId)}`;

/** Reads all pages of the list, however short they are. */
async function listed(query = '', limit = 7): Promise<RunUser[]> {
  const all: RunUser[] = [];
  for (let cursor = ''; ;) {
    const url = `${path()}/users?limit=${limit}${query}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const { items, next } = usersShape.parse((await on.ask('GET', url)).json());
    expect(items.length).toBeLessThanOrEqual(limit);
    all.push(...items);
    if (next === null) return all;
    cursor = next;
  }
}

/** Returns any result that a worker may record for a claim. */
function resultOf(claim: ClaimedStep, chance: Chance): StepResult[] {
  const users = usersOf(claim.users);
  const fate = chance.next();
  if (fate < 0.15) return [];
  if (fate < 0.3) return [waitingOf(claim, { open: false, delayMs: 60_000 })];
  if (fate < 0.5) return [doneOf(claim, { failures: users.slice(0, 1).map((user) => failed(user)) })];
  if (fate < 0.65) return [doneOf(claim, { children: [childOf(users.slice(-2), { delayMs: 0 })] })];
  if (fate < 0.75) {
    const outcome = chance.pick(['unknown', 'suppressed'] as const);
    const failures = users.slice(1, 2).map((user) => failed(user, { outcome }));
    return [doneOf(claim, { failures })];
  }
  return [doneOf(claim)];
}

/**
 * Claims all available batches of both steps, including child batches, in several rounds, and records random results.
 */
async function muddle(seed: number): Promise<void> {
  const chance = createChance(seed);
  for (let round = 0; round < 4; round++) {
    const { rows } = await on.pool.query<{ batchNo: number; step: number }>(
      `select batch_no as "batchNo", step from batches, generate_series(1, 2) step where feed = $1`,
      [feedId],
    );
    const claims = rows.map((row): StepRef => ({ feedId, ...row })).filter(() => chance.happens(0.7));
    const { claimed } = await ledger.flush({ results: [], claims, begins: [] });
    await ledger.flush({ results: claimed.flatMap((claim) => resultOf(claim, chance)), claims: [], begins: [] });
  }
}

describe('the list of all users of a run', () => {
  it.each([1, 2])(
    'has the same outcomes as the explanation of each user, at any stage of the run (%d)',
    async (seed) => {
      await muddle(seed);
      const all = await listed();
      expect(all.map(({ userId }) => userId)).toEqual(someBatches(11, 3).flat());
      const outcomes = new Set<string>();
      for (const { userId, steps, outcome, endedInStep, reason } of all) {
        const answer = await on.ask('GET', `${path()}/users/${userId}`);
        const explained = userExplanation.parse(answer.json()).steps;
        expect({ userId, steps }).toEqual({ userId, steps: explained.map((step) => step.outcome) });
        expect([outcome, reason]).toEqual([steps[endedInStep - 1], explained[endedInStep - 1]?.reason ?? null]);
        outcomes.add(outcome);
      }
      expect(outcomes.size).toBeGreaterThan(2);
      expect(await listed('', 1000)).toEqual(all);
    },
  );

  it('can be filtered by an outcome of the chain or of a step, without missing or repeated users', async () => {
    await muddle(4);
    const all = await listed();
    for (const outcome of ['succeeded', 'failed', 'unknown', 'pending', 'skipped'] as const) {
      const ofChain = all.filter((user) => user.outcome === outcome);
      expect(await listed(`&outcome=${outcome}`, 2)).toEqual(ofChain);
      const inSecond = all.filter(({ steps }) => steps[1] === outcome).map(({ userId }) => userId);
      const found = await listed(`&outcome=${outcome}&step=2`, 3);
      expect(found.map(({ userId }) => userId)).toEqual(inSecond);
      expect(found.every(({ endedInStep }) => endedInStep === 2)).toBe(true);
    }
    expect(await listed('&country=VN')).toEqual([]);
  });

  it('can be exported as CSV with a column for each step, and as JSON lines', async () => {
    await muddle(5);
    const all = await listed();
    const get = (accept: string) =>
      on.api.server.inject({ method: 'GET', url: `${path()}/users`, headers: { ...authorized, accept } });
    const [head = '', ...rows] = (await get('text/csv')).body.trim().split('\r\n');
    const table = rows.map((row) => {
      const cells = row.split(',');
      return Object.fromEntries(head.split(',').map((column, index) => [column, cells[index]]));
    });
    expect(table).toEqual(
      all.map(({ steps, variant, batchNo, endedInStep, reason, ...user }) => ({
        ...user,
        variant: variant ?? '',
        batchNo: String(batchNo),
        endedInStep: String(endedInStep),
        reason: reason ?? '',
        step1: steps[0],
        step2: steps[1],
      })),
    );
    const lines = (await get('application/x-ndjson')).body.trim().split('\n');
    expect(lines.map((line) => runUser.parse(JSON.parse(line)))).toEqual(all);
    const recorded = await on.rowsOf('audit_log');
    expect(recorded.filter(({ route }) => route === '/v1/runs/:id/users')).toHaveLength(2);
  });

  it('begins with its header before the first row is available', async () => {
    const pages = (async function* () {
      await new Promise(() => undefined);
      yield [{}];
    })();
    for await (const part of rowStream(pages, csvRecords(['userId', 'step1'], { raw: false, bom: false }))) {
      expect(String(part)).toBe('userId,step1\r\n');
      break;
    }
  });

  it('includes users whose ids break the rules', async () => {
    const subject = createPostgresExecutionStores(on);
    const other = await startRun(subject);
    const [feed] = other.owned;
    const page = { batches: [{ batchNo: 1, users: ['ann'] }], cursor: 'x', complete: true, staysStalled: false };
    const invalidUsers = ['a', 'b', 'c'].map((user) => ({ user: `${user}\u0007`, rule: 'control-character' as const }));
    await subject.feeds.writePages({ feedId: feed?.feedId ?? '', token: feed?.token ?? 0, ...page, invalidUsers });
    runId = other.runId;
    const all = await listed('', 2);
    expect(all.map(({ batchNo, steps }) => [batchNo, ...steps])).toEqual([
      [0, 'failed', 'skipped'],
      [0, 'failed', 'skipped'],
      [0, 'failed', 'skipped'],
      [1, 'pending', 'pending'],
    ]);
  });

  it('is refused after users were deleted, and for an unknown run or cursor', async () => {
    expect((await on.ask('GET', `${path('01938f1e-7c00-7000-8000-000000000001')}/users`)).statusCode).toBe(404);
    expect((await on.ask('GET', `${path()}/users?cursor=x`)).statusCode).toBe(422);
    await on.pool.query('delete from batches where feed = $1 and batch_no < 5', [feedId]);
    const answer = await on.ask('GET', `${path()}/users`);
    expect([answer.statusCode, problem.parse(answer.json()).code]).toEqual([409, 'users-not-kept']);
  });
});
