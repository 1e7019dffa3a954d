import { describe, expect, it } from 'vitest';
import { passTime, settled } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createPageQuestions, laterPlaces, maxNewOfRun, maxQuestions, type Asker } from './page-questions.ts';
import type { Segmentation } from '../../../shared/ports/segmentation.ts';

const answer: Awaited<ReturnType<Segmentation['page']>> = { ok: true, value: { users: [], next: null } };

/** Creates a queue of page requests that are answered when the test says so. */
function setUp() {
  const clock = createSettableClock();
  const questions = createPageQuestions({ clock });
  const asked: { runId: string; finish: () => void }[] = [];
  const ask = (runId: string, changes: Partial<Asker> = {}, signal = new AbortController().signal) =>
    questions.ask(
      { runId, standing: 'moving', ...changes },
      () => new Promise((resolve) => asked.push({ runId, finish: () => resolve(answer) })),
      signal,
    );
  const askMany = (count: number, ...terms: Parameters<typeof ask>) =>
    Promise.all(Array.from({ length: count }, () => ask(...terms)));
  return { clock, asked, ask, askMany, runsAsked: () => asked.map(({ runId }) => runId) };
}

describe('the queue of page requests', () => {
  it('sends a limited number at once, and the next one after each answer', async () => {
    const { asked, askMany } = setUp();
    void askMany(maxQuestions.moving + 2, 'run');
    await settled();
    expect(asked).toHaveLength(maxQuestions.moving);
    asked[0]?.finish();
    await settled();
    expect(asked).toHaveLength(maxQuestions.moving + 1);
  });

  it('alternates between runs, so a run with one feed does not wait behind all feeds of another', async () => {
    const { asked, ask, askMany, runsAsked } = setUp();
    void askMany(2 * maxQuestions.moving, 'large');
    void ask('small');
    await settled();
    asked[0]?.finish();
    asked[1]?.finish();
    await settled();
    expect(runsAsked().slice(maxQuestions.moving)).toEqual(['large', 'small']);
  });

  it('does not delay a progressing feed behind feeds whose pages fail', async () => {
    const { ask, askMany, runsAsked } = setUp();
    void askMany(2 * maxQuestions.uncertain, 'stuck', { standing: 'uncertain' });
    void ask('healthy');
    await settled();
    expect(runsAsked().filter((runId) => runId === 'stuck')).toHaveLength(maxQuestions.uncertain);
    expect(runsAsked()).toContain('healthy');
  });

  it('sends the request of a new run at once beside 20 new runs with 25 feeds each', async () => {
    const { asked, ask, askMany, runsAsked } = setUp();
    for (let i = 0; i < 20; i++) void askMany(25, `new-${i}`, { standing: 'new' });
    void ask('later', { standing: 'new' });
    await settled();
    expect(runsAsked()).toContain('later');
    expect(runsAsked().filter((runId) => runId === 'new-0')).toHaveLength(maxNewOfRun);
    asked[0]?.finish();
    await settled();
    expect(asked).toHaveLength(20 * maxNewOfRun + 2);
  });

  it('sends the request of the newest run soon behind 500 new runs whose pages hang', async () => {
    const { clock, ask, runsAsked } = setUp();
    for (let i = 0; i < 500; i++) void ask(`new-${i}`, { standing: 'new' });
    for (let last = 0; last < 10; last++) {
      await passTime(clock, 500);
      void ask(`newest-${last}`, { standing: 'new' });
      // Older requests may be sent later.
      void ask(`new-${500 + last}`, { standing: 'new' });
      await passTime(clock, laterPlaces.everyMs);
      expect(runsAsked()).toContain(`newest-${last}`);
    }
    await passTime(clock, 60_000);
    expect(runsAsked()).toHaveLength(maxQuestions.new + laterPlaces.places);
  });

  it('sends the oldest requests of new runs first when places become free', async () => {
    const { clock, asked, ask, runsAsked } = setUp();
    for (let i = 0; i < 200; i++) void ask(`new-${i}`, { standing: 'new' });
    await passTime(clock, 10_000);
    for (let i = 0; i < 50; i++) void ask(`newest-${i}`, { standing: 'new' });
    const before = asked.length;
    for (const { finish } of asked.slice(0, before)) finish();
    await settled();
    expect(
      runsAsked()
        .slice(before, before + 50)
        .every((runId) => runId.startsWith('new-')),
    ).toBe(true);
  });

  it('drops the request of a stopped feed and sends the next one', async () => {
    const { asked, ask, askMany, runsAsked } = setUp();
    void askMany(maxQuestions.moving, 'first');
    const stopping = new AbortController();
    const stopped = ask('stopping', {}, stopping.signal);
    void ask('next');
    stopping.abort();
    expect(await stopped).toMatchObject({ ok: false });
    asked[0]?.finish();
    await settled();
    expect(runsAsked().slice(maxQuestions.moving)).toEqual(['next']);
  });
});
