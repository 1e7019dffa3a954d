import { expect, test } from 'vitest';
import type { LiveClock } from './live-clock.ts';
import { createLiveStream } from './live-stream.ts';

interface News {
  topic: string;
  done: number;
  last?: boolean;
}

interface Opened {
  topics: readonly string[];
  hear: (news?: News) => void;
  end: () => void;
  fail: () => void;
  signal: AbortSignal;
}

/** Creates a clock that moves only when the test moves it, and streams that the test opens. */
function setUp({ pollFails = false } = {}) {
  let nowMs = 0;
  const waits = new Set<{ atMs: number; done: () => void }>();
  const clock: LiveClock = {
    nowMs: () => nowMs,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const wait = { atMs: nowMs + ms, done: resolve };
        waits.add(wait);
        signal.addEventListener('abort', () => {
          waits.delete(wait);
          resolve();
        });
      }),
  };
  const opened: Opened[] = [];
  const patches: { atMs: number; done: number[] }[] = [];
  const polls: string[] = [];
  const stream = createLiveStream<News>({
    clock,
    open: (topics, onMessage, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => resolve());
        opened.push({ topics, hear: onMessage, end: resolve, fail: () => reject(new Error('cut')), signal });
      }),
    poll: (topics) => {
      polls.push(topics.join(' '));
      return pollFails ? Promise.reject(new Error('away')) : Promise.resolve();
    },
    topicOf: ({ topic }) => topic,
    isLast: ({ last = false }) => last,
    onPatch: (messages) => patches.push({ atMs: nowMs, done: messages.map(({ done }) => done) }),
  });
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }
  async function moveTo(ms: number): Promise<void> {
    for (;;) {
      const [next] = [...waits].filter(({ atMs }) => atMs <= ms).sort((a, b) => a.atMs - b.atMs);
      if (!next) break;
      nowMs = Math.max(nowMs, next.atMs);
      waits.delete(next);
      next.done();
      await settle();
    }
    nowMs = ms;
    await settle();
  }
  const newest = () => {
    const last = opened.at(-1);
    if (!last) throw new Error('no stream was opened');
    return last;
  };
  return { stream, opened, newest, patches, polls, moveTo, settle };
}

test('one stream carries all topics, and is reopened when they change', () => {
  const { stream, opened } = setUp();
  stream.watch('a');
  const leave = stream.watch('b');
  stream.watch('b');
  leave();
  expect(opened.map(({ topics }) => topics.join(' '))).toEqual(['a', 'a b']);
  expect(opened.map(({ signal }) => signal.aborted)).toEqual([true, false]);
});

test('a page is patched at most twice a second, with the newest message of each topic', async () => {
  const { stream, newest, patches, moveTo } = setUp();
  stream.watch('a');
  for (let ms = 0; ms < 1000; ms += 10) {
    await moveTo(ms);
    newest().hear({ topic: 'a', done: ms });
  }
  await moveTo(1500);
  expect(patches).toEqual([
    { atMs: 0, done: [0] },
    { atMs: 500, done: [490] },
    { atMs: 1000, done: [990] },
  ]);
});

test('a broken stream is reopened with growing delays, and its topics are polled meanwhile', async () => {
  const { stream, opened, newest, polls, moveTo, settle } = setUp({ pollFails: true });
  stream.watch('a');
  newest().hear();
  for (const [cutAtMs, attempt, nextTryAtMs] of [
    [0, 1, 1000],
    [1000, 2, 3000],
    [3000, 3, 7000],
  ] as const) {
    newest().fail();
    await settle();
    expect(stream.standing()).toEqual({ updatedAtMs: 0, retry: { attempt, nextTryAtMs } });
    expect(polls).toHaveLength(attempt);
    await moveTo(nextTryAtMs);
    expect(opened).toHaveLength(attempt + 1);
    expect(cutAtMs).toBeLessThan(nextTryAtMs);
  }
});

test('after the first message of a reopened stream, the delays start from the shortest one', async () => {
  const { stream, newest, moveTo, settle } = setUp();
  stream.watch('a');
  newest().fail();
  await moveTo(1000);
  newest().fail();
  await moveTo(3000);
  newest().hear({ topic: 'a', done: 1 });
  expect(stream.standing()).toEqual({ updatedAtMs: 3000, retry: undefined });
  newest().end();
  await settle();
  expect(stream.standing().retry).toEqual({ attempt: 1, nextTryAtMs: 4000 });
});

test('a successful poll updates the page while there is no stream', async () => {
  const { stream, newest, moveTo, settle } = setUp();
  stream.watch('a');
  await moveTo(400);
  newest().fail();
  await settle();
  expect(stream.standing().updatedAtMs).toBe(400);
});

test('a stream without a message for ten seconds is closed and reopened', async () => {
  const { stream, newest, moveTo } = setUp();
  stream.watch('a');
  await moveTo(6000);
  const silent = newest();
  silent.hear();
  await moveTo(15_000);
  expect(silent.signal.aborted).toBe(false);
  await moveTo(16_000);
  expect(silent.signal.aborted).toBe(true);
});

test('a hidden tab closes its stream, and reopens it when it is visible', () => {
  const { stream, opened, newest } = setUp();
  stream.watch('a');
  stream.setVisible(false);
  expect(newest().signal.aborted).toBe(true);
  stream.watch('b');
  expect(opened).toHaveLength(1);
  stream.setVisible(true);
  expect(newest().topics).toEqual(['a', 'b']);
});

test('the end of the last run shows its final numbers, and the stream is not reopened', async () => {
  const { stream, opened, newest, patches, moveTo } = setUp();
  stream.watch('a');
  newest().hear({ topic: 'a', done: 7, last: true });
  await moveTo(60_000);
  expect(patches).toEqual([{ atMs: 0, done: [7] }]);
  expect(opened).toHaveLength(1);
});

test('the user can reopen the stream without waiting', async () => {
  const { stream, opened, newest, settle } = setUp();
  stream.watch('a');
  newest().fail();
  await settle();
  stream.tryNow();
  expect(opened).toHaveLength(2);
});
