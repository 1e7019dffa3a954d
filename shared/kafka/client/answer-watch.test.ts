import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createAnswerWatch } from './answer-watch.ts';

const silence = Object.assign(new Error('Request Fetch timed out'), { name: 'KafkaJSRequestTimeoutError' });

function started() {
  const clock = createSettableClock();
  const watch = createAnswerWatch(clock);
  /** Begins a request, to be ended by the test. */
  const begin = (mayTakeMs?: number) => {
    const answer = Promise.withResolvers<string>();
    const ended = watch.during(() => answer.promise, mayTakeMs).catch(() => 'failed');
    return { answer: () => (answer.resolve('answer'), ended), fail: (by: Error) => (answer.reject(by), ended) };
  };
  return { clock, watch, begin };
}

describe('the time without answers of a broker', () => {
  it('is 0 while no request is made', () => {
    const { clock, watch } = started();
    clock.advance(60_000);
    expect(watch.unansweredMs()).toBe(0);
  });

  it('grows while a request is in flight and ends with its answer', async () => {
    const { clock, watch, begin } = started();
    const request = begin();
    clock.advance(4000);
    expect(watch.unansweredMs()).toBe(4000);
    await request.answer();
    expect(watch.unansweredMs()).toBe(0);
  });

  it('begins when the broker should have answered the request', () => {
    const { clock, watch, begin } = started();
    begin(5000);
    clock.advance(4000);
    expect(watch.unansweredMs()).toBe(0);
    clock.advance(3000);
    expect(watch.unansweredMs()).toBe(2000);
  });

  it('continues over requests that time out one after another', async () => {
    const { clock, watch, begin } = started();
    const first = begin();
    clock.advance(8000);
    await first.fail(silence);
    clock.advance(1000);
    const second = begin();
    clock.advance(3000);
    expect(watch.unansweredMs()).toBe(12_000);
    await second.answer();
    expect(watch.unansweredMs()).toBe(0);
  });

  it('ends with any answer, even an error', async () => {
    const { clock, watch, begin } = started();
    const request = begin();
    clock.advance(8000);
    await request.fail(new Error('This server does not host this topic-partition'));
    expect(watch.unansweredMs()).toBe(0);
  });

  it('returns to 0 if no further request is sent', async () => {
    const { clock, watch, begin } = started();
    await begin().fail(silence);
    clock.advance(29_000);
    expect(watch.unansweredMs()).toBe(29_000);
    clock.advance(1000);
    expect(watch.unansweredMs()).toBe(0);
    begin();
    clock.advance(1000);
    expect(watch.unansweredMs()).toBe(1000);
  });

  it('starts again with each answer while other requests are in flight', async () => {
    const { clock, watch, begin } = started();
    begin();
    const other = begin();
    clock.advance(5000);
    await other.answer();
    clock.advance(2000);
    expect(watch.unansweredMs()).toBe(2000);
  });
});
