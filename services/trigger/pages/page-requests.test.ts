import { describe, expect, it } from 'vitest';
import { passTime, settled } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import {
  createPageRequestLimiter,
  newestRunSlots,
  maxNewFeedsOfRun,
  maxPageRequests,
  type PageRequester,
} from './page-requests.ts';
import type { Segmentation } from '../../../shared/ports/segmentation.ts';

const answer: Awaited<ReturnType<Segmentation['page']>> = { ok: true, value: { users: [], next: null } };

/** Creates a queue of page requests that are answered when the test says so. */
function setUp() {
  const clock = createSettableClock();
  const limiter = createPageRequestLimiter({ clock });
  const requested: { runId: string; finish: () => void }[] = [];
  const ask = (runId: string, changes: Partial<PageRequester> = {}, signal = new AbortController().signal) =>
    limiter.request(
      { runId, standing: 'moving', ...changes },
      () => new Promise((resolve) => requested.push({ runId, finish: () => resolve(answer) })),
      signal,
    );
  const askMany = (count: number, ...terms: Parameters<typeof ask>) =>
    Promise.all(Array.from({ length: count }, () => ask(...terms)));
  return { clock, request: requested, ask, askMany, runsRequested: () => requested.map(({ runId }) => runId) };
}

describe('the queue of page requests', () => {
  it('sends a limited number of requests at once, and the next request after each answer', async () => {
    const { request, askMany } = setUp();
    void askMany(maxPageRequests.moving + 2, 'run');
    await settled();
    expect(request).toHaveLength(maxPageRequests.moving);
    request[0]?.finish();
    await settled();
    expect(request).toHaveLength(maxPageRequests.moving + 1);
  });

  it('alternates between runs, so that a run with one feed does not wait behind all feeds of another run', async () => {
    const { request, ask, askMany, runsRequested } = setUp();
    void askMany(2 * maxPageRequests.moving, 'large');
    void ask('small');
    await settled();
    request[0]?.finish();
    request[1]?.finish();
    await settled();
    expect(runsRequested().slice(maxPageRequests.moving)).toEqual(['large', 'small']);
  });

  it('does not delay a progressing feed behind feeds whose pages fail', async () => {
    const { ask, askMany, runsRequested } = setUp();
    void askMany(2 * maxPageRequests.uncertain, 'stuck', { standing: 'uncertain' });
    void ask('healthy');
    await settled();
    expect(runsRequested().filter((runId) => runId === 'stuck')).toHaveLength(maxPageRequests.uncertain);
    expect(runsRequested()).toContain('healthy');
  });

  it('sends the request of a new run at once beside 20 new runs with 25 feeds each', async () => {
    const { request, ask, askMany, runsRequested } = setUp();
    for (let i = 0; i < 20; i++) void askMany(25, `new-${i}`, { standing: 'new' });
    void ask('later', { standing: 'new' });
    await settled();
    expect(runsRequested()).toContain('later');
    expect(runsRequested().filter((runId) => runId === 'new-0')).toHaveLength(maxNewFeedsOfRun);
    request[0]?.finish();
    await settled();
    expect(request).toHaveLength(20 * maxNewFeedsOfRun + 2);
  });

  it('sends the request of the newest run soon behind 500 new runs whose pages hang', async () => {
    const { clock, ask, runsRequested } = setUp();
    for (let i = 0; i < 500; i++) void ask(`new-${i}`, { standing: 'new' });
    for (let last = 0; last < 10; last++) {
      await passTime(clock, 500);
      void ask(`newest-${last}`, { standing: 'new' });
      // Older requests may be sent later.
      void ask(`new-${500 + last}`, { standing: 'new' });
      await passTime(clock, newestRunSlots.everyMs);
      expect(runsRequested()).toContain(`newest-${last}`);
    }
    await passTime(clock, 60_000);
    expect(runsRequested()).toHaveLength(maxPageRequests.new + newestRunSlots.places);
  });

  it('sends the oldest requests of new runs first when places become free', async () => {
    const { clock, request, ask, runsRequested } = setUp();
    for (let i = 0; i < 200; i++) void ask(`new-${i}`, { standing: 'new' });
    await passTime(clock, 10_000);
    for (let i = 0; i < 50; i++) void ask(`newest-${i}`, { standing: 'new' });
    const before = request.length;
    for (const { finish } of request.slice(0, before)) finish();
    await settled();
    expect(
      runsRequested()
        .slice(before, before + 50)
        .every((runId) => runId.startsWith('new-')),
    ).toBe(true);
  });

  it('drops the request of a stopped feed and sends the next one', async () => {
    const { request, ask, askMany, runsRequested } = setUp();
    void askMany(maxPageRequests.moving, 'first');
    const stopping = new AbortController();
    const stopped = ask('stopping', {}, stopping.signal);
    void ask('next');
    stopping.abort();
    expect(await stopped).toMatchObject({ ok: false });
    request[0]?.finish();
    await settled();
    expect(runsRequested().slice(maxPageRequests.moving)).toEqual(['next']);
  });
});
