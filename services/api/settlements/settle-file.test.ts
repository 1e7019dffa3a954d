import { describe, expect, it } from 'vitest';
import type { SettledUser, SettlementVerdict } from '../../../shared/ports/settlements.ts';
import { HttpProblem } from '../frame/http-problem.ts';
import { judgedLines, settleFile, type SettleFileDeps } from './settle-file.ts';
import type { SettlementRecord } from './postgres/settlement-requests.ts';

const record: SettlementRecord = {
  settlementId: 'settlement',
  runId: 'run',
  method: 'file',
  apiKey: null,
  step: null,
  country: null,
  state: 'running',
  cause: null,
  rejects: [],
  createdAt: new Date(0),
  endedAt: null,
  counts: { succeeded: 0, failed: 0, leftUnknown: 0, rejected: 0 },
};

/** Settles the users of a file. The outcomes of all users in the run are unknown, except that of the user `known`. */
async function settle(lines: readonly string[], acceptRejected?: number) {
  const settled: string[] = [];
  const ends: Parameters<SettleFileDeps['requests']['end']>[1][] = [];
  let rejected = 0;
  const deps: SettleFileDeps = {
    settlements: {
      settle: (_, users: readonly SettledUser[], more = {}) => {
        rejected += more.rejected ?? 0;
        const verdicts = users.map(({ user }): SettlementVerdict => (user === 'known' ? 'not-unknown' : 'settled'));
        settled.push(...users.flatMap(({ user }) => (user === 'known' ? [] : [user])));
        return Promise.resolve(verdicts);
      },
    },
    requests: {
      end: (_, end) => {
        ends.push(end);
        return Promise.resolve();
      },
    },
  };
  const refusal = await settleFile(record, { bytes: bytesOf(lines), form: 'csv', acceptRejected }, deps).catch(
    (error: unknown) => {
      if (error instanceof HttpProblem) return error;
      throw error;
    },
  );
  return { settled, rejected, end: ends.at(-1), refusal };
}

async function* bytesOf(lines: readonly string[]) {
  await Promise.resolve();
  yield Buffer.from(lines.join('\n'));
}

const good = (count: number) => Array.from({ length: count }, (_, n) => `u${n},1,succeeded`);

describe('a settlement file', () => {
  it('settles its users if at most 5 % of its lines cannot be read', async () => {
    const { settled, rejected, end } = await settle([...good(19), 'u,one,failed']);
    expect([settled.length, rejected, end]).toMatchObject([19, 1, { state: 'done', rejects: [{ line: 20 }] }]);
  });

  it('settles no user and stores the unreadable lines if these are more than 5 % of the file', async () => {
    const { settled, end, refusal } = await settle([...good(18), 'u,one,failed', 'u;1;failed']);
    expect([settled, refusal]).toMatchObject([[], { code: 'too-many-rejected', status: 422 }]);
    expect(refusal?.message).toMatch(/^2 of 20 rows .*line 19 \("u"\): the step is not a number.*No user was settled/s);
    expect(end).toMatchObject({ state: 'failed', rejects: [{ line: 19 }, { line: 20 }] });
  });

  it('settles the other users if the sender accepts at least the number of unreadable lines', async () => {
    const lines = [...good(1), 'u,one,failed', 'u,1,lost'];
    expect((await settle(lines, 1)).refusal?.code).toBe('too-many-rejected');
    expect(await settle(lines, 2)).toMatchObject({ settled: ['u0'], rejected: 2, end: { state: 'done' } });
  });

  it("skips users whose outcome is already known, without the sender's consent", async () => {
    const { settled, rejected, end } = await settle(['known,1,failed', 'known,2,failed', 'u1,1,failed']);
    expect([settled, rejected, end?.state]).toEqual([['u1'], 2, 'done']);
  });

  it('is refused if no line can be read, whatever number of lines the sender accepts', async () => {
    expect((await settle(['u1,one,failed'], 1)).refusal?.code).toBe('no-users');
  });

  it('settles no user before its first lines were checked', async () => {
    const { settled, refusal } = await settle([...good(judgedLines - 2000), ...Array<string>(2000).fill('u,1')]);
    expect([settled.length, refusal?.code]).toEqual([0, 'too-many-rejected']);
  });

  it('is refused if later lines are unreadable in too large a number, and the problem contains the number of settled lines', async () => {
    const { settled, refusal } = await settle([...good(judgedLines), ...Array<string>(3000).fill('u,1')]);
    expect(settled).toHaveLength(judgedLines);
    expect(refusal?.message).toContain('The first 21000 lines were settled and stay settled');
  });
});
