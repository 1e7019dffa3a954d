import { describe, expect, it } from 'vitest';
import type { Receipt, ReceiptVerdict } from './postgres/receipt-store.ts';
import { createReceiptIntake } from './receipt-intake.ts';

const at = new Date(0);

function receipts(count: number, from = 1): Receipt[] {
  return Array.from({ length: count }, (_, index) => {
    const of = { runId: 'r', country: null };
    return { of, step: 1, user: `u${from + index}`, delivered: true, code: null, at, actionType: null };
  });
}

interface Write {
  users: string[];
  commit: (verdicts?: ReceiptVerdict[]) => void;
  fail: (error: Error) => void;
}

/** Creates an intake whose writes end only when the test ends them. */
function heldBook() {
  const writes: Write[] = [];
  const record = (given: readonly Receipt[]) =>
    new Promise<ReceiptVerdict[]>((resolve, reject) => {
      const users = given.map(({ user }) => user);
      writes.push({ users, commit: (verdicts) => resolve(verdicts ?? users.map(() => 'accepted')), fail: reject });
    });
  return { writes, intake: createReceiptIntake({ book: { record } }) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('incoming receipts', () => {
  it('are written at once while nothing else is being written, and otherwise together with the next write', async () => {
    const { writes, intake } = heldBook();
    const first = intake.add(receipts(1));
    const others = [intake.add(receipts(2, 2)), intake.add(receipts(1, 4))];
    expect(writes.map(({ users }) => users)).toEqual([['u1']]);
    writes[0]?.commit();
    expect(await first).toEqual(['accepted']);
    await turn();
    expect(writes.map(({ users }) => users)).toEqual([['u1'], ['u2', 'u3', 'u4']]);
    writes[1]?.commit(['accepted', 'unknown-user', 'not-kept']);
    expect(await Promise.all(others)).toEqual([['accepted', 'unknown-user'], ['not-kept']]);
  });

  it('are answered after their commit', async () => {
    const { writes, intake } = heldBook();
    let isAnswered = false;
    const answer = intake.add(receipts(1)).then(() => (isAnswered = true));
    await turn();
    expect(isAnswered).toBe(false);
    writes[0]?.commit();
    await answer;
    expect(isAnswered).toBe(true);
  });

  it('are rejected only if the group in which they are written fails', async () => {
    const { writes, intake } = heldBook();
    const first = intake.add(receipts(1));
    const second = intake.add(receipts(1, 2));
    writes[0]?.fail(new Error('the database is away'));
    await expect(first).rejects.toThrow('the database is away');
    await turn();
    writes[1]?.commit();
    expect(await second).toEqual(['accepted']);
  });

  it('are written in one group if they belong to one request, and groups have a maximum size', async () => {
    const { writes, intake } = heldBook();
    const answers = [1, 900, 900, 900].map((count) => intake.add(receipts(count)));
    for (let write = 0; write < 3; write++) {
      writes[write]?.commit();
      await turn();
    }
    expect(writes.map(({ users }) => users.length)).toEqual([1, 1800, 900]);
    expect((await Promise.all(answers)).map(({ length }) => length)).toEqual([1, 900, 900, 900]);
  });

  it('are refused with a time to wait while too many are waiting, and accepted again afterwards', async () => {
    const { writes, intake } = heldBook();
    void intake.add(receipts(1));
    const waiting = Array.from({ length: 20 }, () => intake.add(receipts(1000)));
    const refused = { status: 429, code: 'too-many-receipts', headers: { 'retry-after': '1' } };
    await expect(intake.add(receipts(1))).rejects.toMatchObject(refused);
    for (let write = 0; write <= 10; write++) {
      writes[write]?.commit();
      await turn();
    }
    await Promise.all(waiting);
    const again = intake.add(receipts(1));
    writes.at(-1)?.commit();
    expect(await again).toEqual(['accepted']);
  });
});
