import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { decideVerb, type VerbRequest } from '../../../services/api/runs/control/control-run.ts';
import type { OwnedFeed } from '../../../services/trigger/ports/feed-store.ts';
import { isInPart } from '../../../shared/domain/run/split.ts';
import { pagesOf } from './fed-feeds.ts';
import {
  claimOne,
  doneOf,
  failed,
  leaseMs,
  record,
  startRun,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

const variants = [
  { name: 'short', weight: 7500, params: { text: 'short', size: 1 } },
  { name: 'long', weight: 2500, params: { text: 'long' } },
];
const followers = [
  { name: 'long', params: { reward: 'large' } },
  { name: 'short', params: {} },
];
const chain = [
  { action: 'award-points', params: { points: 5 } },
  { action: 'send-message', params: { text: 'usual', from: 'us' }, variants },
  { action: 'award-reward', params: { reward: 'small' }, variants: followers },
];

/** Chain as the users of each variant get it. */
const ofShort = [
  { action: 'award-points', params: { points: 5 } },
  { action: 'send-message', params: { text: 'short', from: 'us', size: 1 } },
  { action: 'award-reward', params: { reward: 'small' } },
];
const ofLong = [
  { action: 'award-points', params: { points: 5 } },
  { action: 'send-message', params: { text: 'long', from: 'us' } },
  { action: 'award-reward', params: { reward: 'large' } },
];

export function describeVariants(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`the feeds of a run with variants ${name}`, () => {
    let subject: ExecutionSubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    const started = () => startRun(subject, { countries: ['SG', 'ID'], chain, splitSeed: 'december' });

    async function chainOf({ feedId }: OwnedFeed) {
      return (await subject.contexts.load([feedId]))[0]?.chain;
    }

    it('divide the users of each country by the weights', async () => {
      const { owned } = await started();
      const parts = owned.map(({ country, audience: { split } }) => [country, split?.from, split?.to, split?.seed]);
      expect(parts.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))).toEqual([
        ['ID', 0, 7500, 'december'],
        ['ID', 7500, 10_000, 'december'],
        ['SG', 0, 7500, 'december'],
        ['SG', 7500, 10_000, 'december'],
      ]);
    });

    it('divide the share of their run in the capacity', async () => {
      const { owned } = await started();
      const shares = (await subject.feeds.loads(owned.map(({ feedId }) => feedId))).map(({ share }) => share);
      expect(shares.toSorted()).toEqual([0.25, 0.25, 0.75, 0.75]);
      const { owned: without } = await startRun(subject);
      expect((await subject.feeds.loads(without.map(({ feedId }) => feedId))).map(({ share }) => share)).toEqual([1]);
    });

    it('have the parameters of their variant in each step, whatever the order of the variants there', async () => {
      for (const feed of (await started()).owned)
        expect(await chainOf(feed)).toEqual(feed.audience.split?.from === 0 ? ofShort : ofLong);
    });

    describe('if a person chooses a variant after the canary', () => {
      const canary = { percent: 20, then: 'choose-variant' } as const;
      const claim = () => subject.feeds.claim('t', leaseMs, 100, 'all');
      const by = { keyId: 'key_1', keyName: 'a test' };

      /** Starts a run whose canary has ended, so that it waits for the choice. */
      async function waitingForChoice() {
        const { runId, owned } = await startRun(subject, { chain, splitSeed: 'december', canary });
        for (const feed of owned)
          await subject.feeds.writePages(pagesOf(feed, { batches: [], cursor: null, complete: true }));
        expect(await subject.runs.pauseForCanary(runId, 'canary: 0 users have ended')).toBe(true);
        expect(await subject.runs.settlePause(runId)).toBe(true);
        const resume = async (request: VerbRequest) =>
          (await subject.control.change(runId, (run) => decideVerb('resume', run, by, request))) ?? expect.fail();
        return { runId, owned, resume };
      }

      it('divide the canary users among the variants, and all others wait', async () => {
        const { owned } = await startRun(subject, { chain, splitSeed: 'december', canary });
        expect(owned.map(({ audience: { split } }) => [split?.from, split?.to])).toEqual([
          [0, 1500],
          [1500, 2000],
        ]);
        expect(await claim()).toEqual([]);
      });

      it('give all other users the chosen variant, once it is chosen', async () => {
        const { resume } = await waitingForChoice();
        expect(await claim()).toEqual([]);
        const { run, decision } = await resume({ variant: 'long' });
        expect(run).toMatchObject({ state: 'running', canary: 'over', variantChoice: { chosen: 'long' } });
        expect(decision.change?.events).toMatchObject([{ kind: 'resumed', detail: { variant: 'long' } }]);
        const remaining = await claim();
        expect(remaining.map(({ audience: { split } }) => [split?.from, split?.to])).toEqual([[2000, 10_000]]);
        for (const feed of remaining) expect(await chainOf(feed)).toEqual(ofLong);
        const loads = await subject.feeds.loads(remaining.map(({ feedId }) => feedId));
        expect(loads.map(({ share, complete }) => [share, complete])).toEqual([[1, false]]);
      });

      it('keep waiting if a resume names no variant or an unknown one, or comes before the canary has ended', async () => {
        const early = await startRun(subject, { chain, canary });
        const decided = await subject.control.change(early.runId, (run) =>
          decideVerb('resume', run, by, { variant: 'long' }),
        );
        expect(decided?.decision.refusal).toMatchObject({ pointer: '/variant', code: 'no-choice' });
        const { resume } = await waitingForChoice();
        for (const [request, code] of [
          [{}, 'choice-needed'],
          [{ variant: 'middle' }, 'unknown-variant'],
        ] as const) {
          const { run, decision } = await resume(request);
          expect(decision.refusal).toMatchObject({ pointer: '/variant', code });
          expect(run).toMatchObject({ state: 'paused', canary: 'waits', variantChoice: { chosen: null } });
        }
        expect(await claim()).toEqual([]);
      });

      it('are not fed without a variant, even if the canary is over', async () => {
        const { runId } = await waitingForChoice();
        const resumed = { to: 'running', stateReason: null, events: [] } as const;
        const controlled = await subject.control.change(runId, () => ({ change: resumed }));
        expect(controlled?.run).toMatchObject({ canary: 'over', variantChoice: { chosen: null } });
        expect(await claim()).toEqual([]);
      });

      it('keep the chosen variant: a repeat changes nothing, and another choice is refused', async () => {
        const { resume } = await waitingForChoice();
        await resume({ variant: 'short' });
        expect((await resume({ variant: 'short' })).decision).toEqual({ move: { kind: 'stays' }, change: null });
        const { run, decision } = await resume({ variant: 'long' });
        expect(decision.refusal).toMatchObject({ code: 'no-choice' });
        expect(run.variantChoice).toEqual({ chosen: 'short' });
      });
    });

    it('keep the variant of each user in a retry', async () => {
      const { runId, owned } = await started();
      const ledger = subject.ledgerOf('a');
      for (const feed of owned) {
        const users = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7', 'u8'].filter(
          (user) => feed.audience.split && isInPart(feed.audience.split, user),
        );
        const batches = [{ batchNo: 1, users }];
        await subject.feeds.writePages(pagesOf(feed, { batches, cursor: 'u8', complete: true }));
        const claimed = await claimOne(ledger, { feedId: feed.feedId, batchNo: 1, step: 1 });
        await record(ledger, doneOf(claimed, { failures: users.map((user) => failed(user)), restUsers: 0 }));
      }
      await subject.runs.finish(runId, 'completed_with_failures', null);
      const filter = { steps: null, countries: null, reasons: null };
      await subject.retries.create({ runId: uuidv7(), parentRunId: runId, filter, deadlineSeconds: null });
      const [child] = await subject.runs.toPrepare(10, []);
      expect(await subject.runs.beginRetry(child?.runId ?? '')).toBe(16);
      const retried = await subject.feeds.claim('t', leaseMs, 100, 'all');
      expect(retried).toHaveLength(4);
      for (const feed of retried) {
        const { users } = await subject.feeds.retriedUsers(feed.feedId, null, 100);
        const part = { seed: 'december', from: 0, to: 7500 };
        const isShort = users.map((user) => isInPart(part, user));
        expect(new Set(isShort).size).toBe(1);
        expect(await chainOf(feed)).toEqual(isShort[0] === true ? ofShort : ofLong);
      }
    });
  });
}
