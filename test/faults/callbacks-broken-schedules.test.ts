import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createSchedule,
  disableSchedule,
  getSchedule,
  listSchedules,
  pauseSchedule,
} from '../../sdk/generated/sdk.gen.ts';
import type { NewScheduleInput } from '../../sdk/generated/types.gen.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { quantile } from './support/measure-run.ts';
import { lasting, until } from './support/until.ts';

/** On a shared machine, the scheduler decides about an instant some looks later. */
const busyMachineMs = 1000;
const healthy = 100;
const everySeconds = 2;

/** Damage that a roll-back, or another version beside this one, leaves in a row. */
const unreadable = {
  zone: `jsonb_set(definition, '{recurrence,zone}', '"Mars/Olympus"')`,
  overlap: `jsonb_set(definition, '{recurrence,overlap}', '"queue"')`,
};

describe('two unreadable schedules among a hundred', () => {
  let trial: CallbackTrial;
  let good: string[];
  let bad: string[];
  beforeEach(async () => {
    trial = await startCallbackTrial();
    good = [];
    for (let made = 0; made < healthy; made++) good.push(await create({ name: 'healthy', everySeconds }));
    bad = await Promise.all(Object.keys(unreadable).map((name) => create({ name, cron: '* * * * *', zone: 'UTC' })));
  });
  afterEach(() => trial.end());

  async function create(recurrence: Omit<NewScheduleInput, 'target'>): Promise<string> {
    const body = { ...recurrence, target: { client: 'orders', url: trial.url('recurring/hook') } };
    return (await createSchedule({ client: trial.client, body })).data.id;
  }

  /** Makes two schedules unreadable that a scheduler reads before all others. */
  async function spoil(): Promise<() => void> {
    const over = trial.injections.begin('schedules that cannot be read', '2 of 102');
    for (const [name, definition] of Object.entries(unreadable)) {
      await trial.database.rows(
        `update schedules set definition = ${definition}, next_check_at = now() - interval '1 hour' where name = $1`,
        [name],
      );
    }
    return over;
  }

  const fires = async (sinceMs: number) => {
    const rows = await trial.database.rows<{ lateMs: number }>(latenessOfFires, [sinceMs]);
    return rows.map(({ lateMs }) => lateMs);
  };
  /** Occurrences of each other schedule. */
  const fired = (sinceMs: number, instants: number) =>
    until('the others fire', async () => (await fires(sinceMs)).length >= healthy * instants);
  const displayed = async () => {
    const schedules = await Promise.all(bad.map((id) => getSchedule({ client: trial.client, path: { id } })));
    return schedules.map(({ data: { state, stateReason } }) => ({ state, stateReason }));
  };

  it('row 59: the other schedules fire on time, and the unreadable ones become broken, are shown with causes and can be disabled', async () => {
    const startedMs = Date.now();
    await fired(startedMs, 5);
    const alone = await fires(startedMs);
    const over = await spoil();
    const spoiltMs = Date.now();
    await fired(spoiltMs, 5);
    const beside = await fires(spoiltMs);
    expect(await displayed()).toEqual([
      { state: 'broken', stateReason: expect.stringContaining('recurrence.zone') as unknown },
      { state: 'broken', stateReason: expect.stringContaining('recurrence.overlap') as unknown },
    ]);
    const [{ client }, query] = [trial, { state: 'broken' as const }];
    expect((await listSchedules({ client, query })).data.items.map(({ id }) => id).toSorted()).toEqual(bad.toSorted());
    for (const id of bad) {
      expect((await disableSchedule({ client, path: { id }, body: {} })).data.state).toBe('disabled');
    }
    over();
    for (const id of good) await pauseSchedule({ client, path: { id }, body: {} });
    await trial.awaitEnded();

    expect(await trial.database.count(gaps, [everySeconds])).toBe(0);
    const [p99Alone, p99] = [quantile(alone, 0.99), quantile(beside, 0.99)];
    const measured = { 'decided p99 alone ms': p99Alone, 'decided p99 beside ms': p99 };
    expect(await trial.judgeCallbacks({ rows: '59', scenario: 'schedules nobody can read', measured })).toEqual([]);
    expect(p99).toBeLessThan(p99Alone * 1.2 + busyMachineMs);
  });

  it('row 59: no schedule fires if unreadable ones cannot be marked broken (control)', async () => {
    await trial.database.rows(`
      create function nothing_breaks() returns trigger language plpgsql
        as $$ begin raise exception 'a schedule cannot be read'; end $$;
      create trigger nothing_breaks before update on schedules for each row when (new.state = 'broken')
        execute function nothing_breaks()`);
    const startedMs = Date.now();
    await fired(startedMs, 1);
    await spoil();
    // The scheduler may still finish the decisions that it had begun.
    await lasting(2000);
    const spoiltMs = Date.now();
    await lasting(5 * everySeconds * 1000);
    expect(await fires(spoiltMs)).toEqual([]);
    expect(await displayed()).not.toContainEqual(expect.objectContaining({ state: 'broken' }));
  });
});

const latenessOfFires = `
  select (extract(epoch from o.decided_at - o.scheduled_for) * 1000)::float8 as "lateMs" from occurrences o
  join schedules s on s.id = o.schedule and s.name = 'healthy'
  where o.scheduled_for >= to_timestamp($1::float8 / 1000)`;

/** Gaps between occurrences of one schedule: an instant in between did not fire. */
const gaps = `
  select from (
    select scheduled_for - lag(scheduled_for) over (partition by schedule order by scheduled_for) as step
    from occurrences o join schedules s on s.id = o.schedule and s.name = 'healthy'
  ) steps
  where step <> $1 * interval '1 second'`;
