import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { settled } from '../../../test/support/pass-time.ts';
import { HttpProblem } from '../frame/http-problem.ts';
import { createHeavyRequests } from './heavy-requests.ts';

function begin() {
  const clock = createSettableClock();
  return { clock, heavy: createHeavyRequests({ clock }) };
}

/** Returns the problem with which a promise rejects. */
async function problemOf(promise: Promise<unknown>): Promise<HttpProblem> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof HttpProblem) return error;
  throw new Error(`expected a problem, and got ${String(error)}`);
}

describe.each(['exports', 'uploads'] as const)('heavy requests that never wait (%s)', (kind) => {
  it('are refused at once if their account already has two, with the limit and Retry-After', async () => {
    const { heavy } = begin();
    await heavy.begin(kind, 'one');
    await heavy.begin(kind, 'one');
    const { status, code, message, headers } = await problemOf(heavy.begin(kind, 'one'));
    expect({ status, code, headers }).toEqual({
      status: 429,
      code: `too-many-${kind}`,
      headers: { 'retry-after': '5' },
    });
    expect(message).toContain(`2 ${kind} under way`);
    expect(message).toContain('limit for an account');
  });

  it('are refused if a process already has four, and each account may always have half of these slots', async () => {
    const { heavy } = begin();
    for (const account of ['one', 'one', 'two', 'two']) await heavy.begin(kind, account);
    expect((await problemOf(heavy.begin(kind, 'three'))).message).toContain(`4 ${kind} are under way in this process`);
  });

  it('are accepted again once an earlier request has ended', async () => {
    const { heavy } = begin();
    const end = await heavy.begin(kind, 'one');
    await heavy.begin(kind, 'one');
    end();
    await heavy.begin(kind, 'one');
    expect(heavy.countUnderWay(kind, 'one')).toBe(2);
    expect(heavy.countUnderWay('reports', 'one')).toBe(0);
  });
});

describe.each(['reports', 'previews'] as const)('heavy requests that wait for a slot (%s)', (kind) => {
  it('wait for a slot, without delaying requests of other accounts', async () => {
    const { heavy } = begin();
    const ends = [await heavy.begin(kind, 'one'), await heavy.begin(kind, 'one')];
    const order: string[] = [];
    void heavy.begin(kind, 'one').then(() => order.push('third of one'));
    await heavy.begin(kind, 'two');
    await heavy.begin(kind, 'two');
    void heavy.begin(kind, 'three').then(() => order.push('first of three'));
    await settled();
    expect(order).toEqual([]);
    ends[0]?.();
    await settled();
    expect(order).toEqual(['third of one']);
    ends[1]?.();
    await settled();
    expect(order).toEqual(['third of one', 'first of three']);
  });

  it('are refused if no slot becomes free within five seconds, and then occupy no slot later', async () => {
    const { heavy, clock } = begin();
    const ends = [await heavy.begin(kind, 'one'), await heavy.begin(kind, 'one')];
    const refused = problemOf(heavy.begin(kind, 'one'));
    await settled();
    clock.advance(5_000);
    expect(await refused).toMatchObject({ status: 429, code: `too-many-${kind}`, headers: { 'retry-after': '1' } });
    for (const end of ends) end();
    expect(heavy.countUnderWay(kind, 'one')).toBe(0);
    expect(clock.nextWakeMs()).toBeUndefined();
  });

  it('are refused at once if twenty requests of the account already wait', async () => {
    const { heavy } = begin();
    for (let each = 0; each < 22; each++) void heavy.begin(kind, 'one');
    expect((await problemOf(heavy.begin(kind, 'one'))).code).toBe(`too-many-${kind}`);
  });
});
