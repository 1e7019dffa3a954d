import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSettableClock, type SettableClock } from '../../../test/support/settable-clock.ts';
import { topics, worksOf } from '../slots/test-works.ts';
import { doneResult } from '../step/step-results.ts';
import type { FinishedStep, Work } from '../step/work.ts';
import { createNextStepPublisher, type NextStepPublisher } from './next-step-publisher.ts';

const chain = [
  { action: 'award-reward', params: {} },
  { action: 'send-message', params: {} },
];

let clock: SettableClock;
/** Answers the next publications for the topic. */
let answer: () => Promise<void>;
let published: number;
let handled: number;
let nextSteps: NextStepPublisher;

beforeEach(() => {
  clock = createSettableClock();
  answer = () => Promise.resolve();
  [published, handled] = [0, 0];
  nextSteps = createNextStepPublisher({
    publisher: {
      publish: async (messages) => {
        await answer();
        published += messages.length;
      },
    },
    topics,
    onHandled: (works) => (handled += works.length),
    clock,
    random: () => 0,
    logger: pino({ level: 'silent' }),
  });
});

/** Returns finished first steps of a chain of two steps, each with one user. */
function finishedOf(count: number): FinishedStep[] {
  return worksOf('f1', count).map((first) => {
    const work: Work = { ...first, context: { ...first.context, chain } };
    return { work, result: doneResult(work, [], []) };
  });
}

const fails = () => Promise.reject(new Error('the topic cannot be written'));

describe('steps whose next steps are published', () => {
  it('are handled once the publication has succeeded', async () => {
    nextSteps.publish(finishedOf(3));
    expect(handled).toBe(0);
    await setImmediate();
    expect({ published, handled }).toEqual({ published: 1, handled: 3 });
  });

  it('are handled after another attempt if the first one fails', async () => {
    answer = fails;
    nextSteps.publish(finishedOf(3));
    await setImmediate();
    answer = () => Promise.resolve();
    clock.advance(1000);
    await setImmediate();
    expect({ published, handled }).toEqual({ published: 1, handled: 3 });
  });

  it('are left to the sweeper, and handled, if the topic cannot be written for three seconds', async () => {
    answer = fails;
    nextSteps.publish(finishedOf(3));
    for (let second = 1; second <= 3; second++) {
      await setImmediate();
      expect(handled).toBe(0);
      clock.advance(1000);
    }
    await setImmediate();
    expect({ published, handled }).toEqual({ published: 0, handled: 3 });
  });

  it('keep their messages if the worker stops before the publication, so that Kafka delivers these again', async () => {
    answer = fails;
    nextSteps.publish(finishedOf(3));
    await setImmediate();
    await nextSteps.finish();
    expect({ published, handled }).toEqual({ published: 0, handled: 0 });
  });

  it('are handled if the worker stops while a publication that succeeds is under way', async () => {
    const running = Promise.withResolvers<undefined>();
    answer = () => running.promise;
    nextSteps.publish(finishedOf(3));
    const finished = nextSteps.finish();
    running.resolve(undefined);
    await finished;
    expect({ published, handled }).toEqual({ published: 1, handled: 3 });
  });
});
