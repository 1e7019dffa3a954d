import { beforeEach, describe, expect, it } from 'vitest';
import type { CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type {
  ChildBatch,
  ClaimedStep,
  LedgerFlush,
  StepDone,
  StepLedger,
  StepRef,
} from '../../../shared/ports/step-ledger.ts';
import {
  childOf,
  doneOf,
  failed,
  leaseMs,
  startFedRun,
  waitingOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
  type SeededCap,
} from './execution-subject.ts';

const dayMs = 86_400_000;
const always = new Date(0);

/** Returns a cap of one reward within seven days, which counts all effects. */
function capWith(changes: Partial<SeededCap> = {}): SeededCap {
  const usual = { name: 'weekly', actionTypes: ['award-reward'], effects: 1, days: 7, counting: 'rolling' } as const;
  return { ...usual, countsFrom: always, ...changes };
}

/** Tests caps over the effects of all campaigns in the answers of claims. */
export function describeCappedUsers(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`caps ${name}`, () => {
    let subject: ExecutionSubject;
    let a: StepLedger;
    let b: StepLedger;
    let country: string;
    beforeEach(async () => {
      country = 'SG';
      subject = await makeSubject();
      [a, b] = [subject.ledgerOf('a'), subject.ledgerOf('b')];
    });

    /** Starts a run of a campaign of its own, and returns the first steps of its batches. */
    const start = async (batches: readonly (readonly string[])[], changes: Partial<CampaignDefinition> = {}) =>
      startFedRun(subject, batches, { countries: [country], ...changes });
    const startOne = async (...users: string[]): Promise<StepRef> => {
      const [step] = (await start([users])).steps;
      return step ?? expect.fail('the run has no batch');
    };
    const flushed = (ledger: StepLedger, flush: Partial<LedgerFlush>) => {
      const actionTypeOf = ({ step }: StepRef) => (step === 1 ? 'award-reward' : 'send-message');
      return ledger.flush({ results: [], claims: [], begins: [], actionTypeOf, countryOf: () => country, ...flush });
    };
    /** Claims a step. Repeats the claim while another flush reserves effects. */
    const claim = async (ledger: StepLedger, ref: StepRef): Promise<ClaimedStep> => {
      const { claimed, busy } = await flushed(ledger, { claims: [ref] });
      if (busy.length > 0) return claim(ledger, ref);
      return claimed[0] ?? expect.fail('the step was not free');
    };
    const record = (claimed: ClaimedStep, changes: Partial<StepDone> = {}) =>
      flushed(a, { results: [doneOf(claimed, changes)] });
    const namesOf = ({ capped }: ClaimedStep) => capped?.map(({ user }) => user).toSorted();
    /** Claims a step, and records that its users were served. Returns those that have reached a cap. */
    const serve = async (ref: StepRef): Promise<string[] | undefined> => {
      const claimed = await claim(a, ref);
      const failures = (claimed.capped ?? []).map(({ user }) => failed(user, { outcome: 'suppressed' }));
      await record(claimed, { failures });
      return namesOf(claimed);
    };
    /** Returns those of the users that a new campaign may not call. */
    const cappedIn = async (...users: string[]) => namesOf(await claim(b, await startOne(...users)));
    const release = (claimed: ClaimedStep, open: boolean) =>
      flushed(a, { results: [waitingOf(claimed, { delayMs: 0, open })] });
    /** Records children of a step, and returns the first child. */
    const split = async (claimed: ClaimedStep, ...children: ChildBatch[]): Promise<StepRef> => {
      const { created } = await record(claimed, { children });
      const [child] = created;
      return child ? { ...child.result, batchNo: child.batchNo } : expect.fail('no child was created');
    };

    it('return users that have reached a cap, with the number of their effects, and claim the others', async () => {
      await subject.setCaps([capWith({ effects: 2 })]);
      for (const users of [['u1', 'u2'], ['u1']]) await serve(await startOne(...users));
      expect((await claim(a, await startOne('u1', 'u2', 'u3'))).capped).toEqual([
        { user: 'u1', cap: 'weekly', had: 2, effects: 2, days: 7 },
      ]);
      expect(await cappedIn('u3')).toBeUndefined();
      expect(await cappedIn('u2', 'u4')).toEqual(['u2']);
    });

    it('count effects of all capped action types together, and return the first cap by name', async () => {
      const both = ['award-reward', 'send-message'];
      await subject.setCaps([
        capWith({ name: 'z', effects: 2 }),
        capWith({ name: 'b', actionTypes: both, effects: 2, days: 3 }),
        capWith({ name: 'c', actionTypes: both, effects: 2 }),
        capWith({ name: 'a', effects: 3 }),
      ]);
      const first = await startOne('u1', 'u2');
      await serve(first);
      await serve({ ...first, step: 2 });
      const { capped } = await claim(a, await startOne('u1', 'u3'));
      expect(capped).toEqual([{ user: 'u1', cap: 'b', had: 2, effects: 2, days: 3 }]);
    });

    it('count the steps of one run with the same action type singly', async () => {
      await subject.setCaps([capWith({ effects: 2 })]);
      const ref = await startOne('u1');
      const actionTypeOf = () => 'award-reward';
      for (const step of [1, 2]) {
        const { claimed } = await flushed(a, { claims: [{ ...ref, step }], actionTypeOf });
        expect(claimed.map(namesOf)).toEqual([undefined]);
        await flushed(a, { results: claimed.map((each) => doneOf(each)), actionTypeOf });
      }
      expect(await cappedIn('u1')).toEqual(['u1']);
    });

    it('hold for two workers that claim batches of the same users at once', async () => {
      await subject.setCaps([capWith()]);
      const users = ['u1', 'u2', 'u3', 'u4'];
      const refs = [await startOne(...users), await startOne(...users), await startOne('u2', 'u3')];
      const claimed = await Promise.all(refs.map((ref, index) => claim(index % 2 === 0 ? a : b, ref)));
      const called = claimed.flatMap((each) => {
        return usersOf(each.users).filter((user) => namesOf(each)?.includes(user) !== true);
      });
      expect(called.toSorted()).toEqual(users);
    });

    it('hold within one flush', async () => {
      await subject.setCaps([capWith()]);
      const { claimed } = await flushed(a, {
        claims: [await startOne('u1', 'u2'), await startOne('u2', 'u3'), await startOne('u1', 'u3')],
      });
      expect(claimed.flatMap(({ capped = [] }) => capped.map(({ user }) => user)).toSorted()).toEqual([
        'u1',
        'u2',
        'u3',
      ]);
    });

    it('count users that were or may have been served, and none that certainly were not', async () => {
      await subject.setCaps([capWith()]);
      const claimed = await claim(a, await startOne('u1', 'u2', 'u3', 'u4'));
      const failures = [failed('u1'), failed('u2', { outcome: 'unknown' }), failed('u3', { outcome: 'suppressed' })];
      await record(claimed, { failures });
      expect(await cappedIn('u1', 'u2', 'u3', 'u4')).toEqual(['u2', 'u4']);
    });

    it.each(['expired', 'cancelled'] as const)('do not count users of a step that ended as %s', async (rest) => {
      await subject.setCaps([capWith()]);
      const first = await claim(a, await startOne('u1', 'u2'));
      await record(first, { rest, failures: [failed('u2', { outcome: 'unknown' })] });
      const second = await claim(a, await startOne('u3'));
      await record(second, { rest });
      expect(await cappedIn('u1', 'u2', 'u3')).toEqual(['u2']);
    });

    it('count reserved effects until their step is released without a call in doubt', async () => {
      await subject.setCaps([capWith()]);
      const [first, second] = [await claim(a, await startOne('u1')), await claim(a, await startOne('u2'))];
      expect(await cappedIn('u1', 'u2')).toEqual(['u1', 'u2']);
      await release(first, false);
      await release(second, true);
      expect(await cappedIn('u1', 'u2')).toEqual(['u2']);
    });

    it('exclude no user from a step whose call may have been made, and count its users', async () => {
      await subject.setCaps([capWith()]);
      const ref = await startOne('u1', 'u2');
      await release(await claim(a, ref), true);
      await subject.setCaps([]);
      await serve(await startOne('u1'));
      await subject.setCaps([capWith()]);
      await subject.passTime(1);
      const again = await claim(b, ref);
      expect([again.open, again.capped]).toEqual([true, undefined]);
      await subject.passTime(leaseMs + 1);
      expect((await claim(b, ref)).capped).toBeUndefined();
      expect(await cappedIn('u1', 'u2', 'u3')).toEqual(['u1', 'u2']);
    });

    it('count the users of a call that was made before the cap, from the take-over of its step on', async () => {
      const ref = await startOne('u1');
      await claim(a, ref);
      await subject.setCaps([capWith()]);
      await serve(await startOne('u1'));
      await subject.passTime(leaseMs + 1);
      const again = await claim(b, ref);
      expect([again.open, again.capped]).toEqual([true, undefined]);
      expect((await claim(a, await startOne('u1'))).capped).toMatchObject([{ had: 2 }]);
    });

    it('judge the users of an expired lease again if no call was made', async () => {
      await subject.setCaps([capWith()]);
      await subject.suppress('award-reward', ['u2'], null);
      const ref = await startOne('u1', 'u2');
      await claim(a, ref);
      await subject.passTime(7 * dayMs);
      await serve(await startOne('u1'));
      const again = await claim(b, ref);
      expect([again.open, namesOf(again)]).toEqual([false, ['u1']]);
    });

    it('close the key: a lost worker that received capped users leaves no doubt about a call', async () => {
      await subject.setCaps([capWith()]);
      await serve(await startOne('u1'));
      const ref = await startOne('u1', 'u2');
      await claim(a, ref);
      await subject.passTime(leaseMs + 1);
      const again = await claim(b, ref);
      expect([again.open, again.lapses, namesOf(again)]).toEqual([false, 1, ['u1']]);
    });

    it.each([{ claim: true }, { open: true }])(
      'count users of a child batch once, if it continues with %o',
      async (terms) => {
        await subject.setCaps([capWith()]);
        const child = await split(await claim(a, await startOne('u1', 'u2')), childOf(['u1'], terms));
        expect(await cappedIn('u1', 'u2')).toEqual(['u1', 'u2']);
        await subject.passTime(leaseMs + 1);
        const again = await claim(a, child);
        expect(again.capped).toBeUndefined();
        await record(again);
        const [first] = (await claim(a, await startOne('u1'))).capped ?? [];
        expect(first?.had).toBe(1);
      },
    );

    it('reserve effects again for a child batch whose users certainly were not served', async () => {
      await subject.setCaps([capWith()]);
      const child = await split(await claim(a, await startOne('u1', 'u2', 'u3')), childOf(['u1', 'u3']));
      await serve(await startOne('u1'));
      const again = await claim(a, child);
      expect(namesOf(again)).toEqual(['u1']);
      expect(await cappedIn('u1', 'u2', 'u3')).toEqual(['u1', 'u2', 'u3']);
    });

    it('keep the effects of a step whose other users were capped', async () => {
      await subject.setCaps([capWith()]);
      await serve(await startOne('u1'));
      const first = await claim(a, await startOne('u1', 'u2'));
      const capped = [failed('u1', { outcome: 'suppressed' })];
      await record(first, { failures: capped, children: [childOf(['u2'], { claim: true })] });
      expect((await claim(a, await startOne('u1', 'u2'))).capped).toMatchObject([
        { user: 'u1', had: 1 },
        { user: 'u2', had: 1 },
      ]);
    });

    it('do not count effects from before the cap began to count', async () => {
      await subject.setCaps([capWith({ effects: 9 })]);
      await serve(await startOne('u1'));
      const { countsFrom: _, ...fromNow } = capWith({ name: 'new' });
      await subject.setCaps([capWith({ effects: 9 }), fromNow]);
      expect(await serve(await startOne('u1'))).toBeUndefined();
      await subject.passTime(1);
      await serve(await startOne('u1'));
      expect(await cappedIn('u1')).toEqual(['u1']);
    });

    it('count rolling days to the millisecond', async () => {
      await subject.setCaps([capWith()]);
      await serve(await startOne('u1'));
      await subject.passTime(7 * dayMs - 1);
      expect(await cappedIn('u1')).toEqual(['u1']);
      await subject.passTime(1);
      expect(await cappedIn('u1')).toBeUndefined();
    });

    describe('with calendar days', () => {
      /** Passes time until it is this hour in UTC. Clocks of subjects begin now. */
      const passUntilHour = (hour: number) => subject.passTime(((hour * 3_600_000 - Date.now()) % dayMs) + dayMs);
      const hourMs = 3_600_000;

      it('count from the beginning of the day in the country on', async () => {
        await subject.setCaps([capWith({ counting: 'calendar', days: 2 })]);
        await passUntilHour(4); // 12:00 in Singapore
        await serve(await startOne('u1'));
        await subject.passTime(35 * hourMs); // 23:00 on the next day
        expect(await cappedIn('u1')).toEqual(['u1']);
        await subject.passTime(2 * hourMs);
        expect(await cappedIn('u1')).toBeUndefined();
      });

      it('count from the earliest beginning of the day on in a country with several time zones', async () => {
        country = 'ID';
        await subject.setCaps([capWith({ counting: 'calendar', days: 1 })]);
        await passUntilHour(14);
        await serve(await startOne('u1'));
        await subject.passTime(2 * hourMs); // The day has begun in Jayapura, and not yet in Jakarta.
        expect(await cappedIn('u1')).toEqual(['u1']);
        await subject.passTime(2 * hourMs);
        expect(await cappedIn('u1')).toBeUndefined();
      });
    });

    it('limit their countries, and count effects of each country by itself', async () => {
      await subject.setCaps([capWith({ countries: ['ID'] })]);
      await serve(await startOne('u1'));
      expect(await cappedIn('u1')).toBeUndefined();
      country = 'ID';
      expect(await cappedIn('u1')).toBeUndefined();
      expect(await cappedIn('u1')).toEqual(['u1']);
    });

    it('neither limit nor count exempt campaigns, even if another cap counts them', async () => {
      const { campaignId, steps } = await start([['u1'], ['u2']]);
      const [first, second] = steps;
      if (!first || !second) expect.fail('the run has two batches');
      await subject.setCaps([capWith({ exempt: [campaignId] }), capWith({ name: 'wide', effects: 2 })]);
      await serve(await startOne('u1'));
      expect(await serve(first)).toBeUndefined();
      expect(await serve(second)).toBeUndefined();
      expect((await claim(a, await startOne('u1', 'u2'))).capped).toMatchObject([
        { user: 'u1', cap: 'weekly', had: 1 },
      ]);
      expect((await claim(a, await startOne('u2'))).capped).toMatchObject([{ user: 'u2', cap: 'weekly', had: 1 }]);
    });

    it('neither limit nor count tests and dry runs', async () => {
      await subject.setCaps([capWith()]);
      const { runId, steps } = await start([['u1', 'u2']]);
      await subject.makeDry(runId);
      await serve(await startOne('u1'));
      for (const ref of steps) expect(await serve(ref)).toBeUndefined();
      expect(await cappedIn('u1', 'u2')).toEqual(['u1']);
    });

    it('apply from the next claim on, also if a suppression list is set at the same time', async () => {
      const claimed = await claim(a, await startOne('u1'));
      await subject.setCaps([capWith()]);
      await subject.suppress('award-reward', ['u3'], null);
      await record(claimed);
      const next = await claim(a, await startOne('u1', 'u2', 'u3'));
      expect([next.suppressed?.map(({ user }) => user), namesOf(next)]).toEqual([['u3'], undefined]);
      const last = await claim(a, await startOne('u1', 'u2', 'u3', 'u4'));
      expect([last.suppressed?.map(({ user }) => user), namesOf(last)]).toEqual([['u3'], ['u1', 'u2', 'u3']]);
      await subject.setCaps([]);
      expect(await cappedIn('u1')).toBeUndefined();
    });

    it('prevent their steps from being handed on', async () => {
      const { steps } = await start([['u1'], ['u2']]);
      const { claimed } = await flushed(a, { claims: steps });
      const handedOn = async (...of: ClaimedStep[]) => {
        const results = of.map((each) => doneOf(each));
        return (await flushed(a, { results, handOn: new Set(results) })).handedOn.length;
      };
      expect(await handedOn(...claimed.slice(0, 1))).toBe(1);
      await subject.setCaps([capWith({ actionTypes: ['send-message'] })]);
      expect(await handedOn(...claimed.slice(1))).toBe(0);
    });

    it('do not count users that were lost in an earlier step', async () => {
      await subject.setCaps([capWith({ actionTypes: ['send-message'] })]);
      const ref = await startOne('u1', 'u2', 'u3');
      await record(await claim(a, ref), { failures: [failed('u1')], children: [childOf(['u2'])] });
      await serve({ ...ref, step: 2 });
      const other = await startOne('u1', 'u2', 'u3');
      await serve(other);
      expect(namesOf(await claim(a, { ...other, step: 2 }))).toEqual(['u3']);
    });

    it('recognize ids with quotes, commas, backslashes and other than ASCII characters', async () => {
      const users = ['"', '"q"', ',', 'a,b', 'a","b', 'b\\c', 'é "x"', '\u{1f6f5}'];
      await subject.setCaps([capWith()]);
      const claimed = await claim(a, await startOne(...users));
      const lost = ['"q"', 'b\\c', '\u{1f6f5}'];
      await record(claimed, { failures: lost.map((user) => failed(user)) });
      const expected = users.filter((user) => !lost.includes(user)).toSorted();
      expect(await cappedIn(...users)).toEqual(expected);
      expect(await cappedIn(...users)).toEqual(users.toSorted());
    });
  });
}
