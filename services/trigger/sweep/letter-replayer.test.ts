import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryDeadLetters, createMemoryLetterReplays } from '../../../test/support/memory/dead-letters.ts';
import { createMemoryDatabase } from '../../../test/support/memory/memory-database.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import type { LetterBytes } from '../../../shared/ports/dead-letters.ts';
import { createLetterReplayer } from './letter-replayer.ts';

describe('dead letters to replay', () => {
  const database = createMemoryDatabase(createSettableClock());
  const replays = createMemoryLetterReplays({ database });
  let published: LetterBytes[];
  let unwritable: string | null;
  let isSweeper: boolean;
  beforeEach(() => {
    database.deadLetters.clear();
    published = [];
    unwritable = null;
    isSweeper = true;
  });

  const { turn } = createLetterReplayer({
    letterReplays: replays,
    letterPublisher: {
      publish: (letters) => {
        if (letters.some(({ topic }) => topic === unwritable)) return Promise.reject(new Error('not a leader'));
        published.push(...letters);
        return Promise.resolve();
      },
    },
    isSweeper: () => isSweeper,
    warn: () => undefined,
    logger: pino({ level: 'silent' }),
  });

  async function keep(topic: string, count: number, value = Buffer.from([0, 255])): Promise<void> {
    const letters = Array.from({ length: count }, (_, offset) => ({
      message: { lane: { topic, partition: 0, assignment: 1 }, offset, key: null, value },
      reason: 'garbage',
    }));
    await createMemoryDeadLetters({ database }).add(letters);
    for (const letter of lettersOf(topic)) letter.state = 'replaying';
  }

  const lettersOf = (topic: string) => [...database.deadLetters.values()].filter((letter) => letter.topic === topic);
  const statesOf = (topic: string) => lettersOf(topic).map(({ state }) => state);

  it('are published again with their bytes, once', async () => {
    await keep('a', 1);
    expect(await turn()).toBeGreaterThan(0);
    await turn();
    expect(published).toMatchObject([{ topic: 'a', key: null, value: Buffer.from([0, 255]) }]);
    expect(statesOf('a')).toEqual(['replayed']);
  });

  it('wait until their topic can be written, without delaying other topics', async () => {
    await keep('a', 1);
    await keep('b', 1);
    unwritable = 'a';
    await turn();
    expect([statesOf('a'), statesOf('b')]).toEqual([['replaying'], ['replayed']]);
    unwritable = null;
    await turn();
    expect(statesOf('a')).toEqual(['replayed']);
  });

  it('are published by one trigger, 50 at a time', async () => {
    await keep('a', 60);
    isSweeper = false;
    await turn();
    expect(published).toHaveLength(0);
    isSweeper = true;
    expect(await turn()).toBe(0);
    expect(published).toHaveLength(50);
    expect(await turn()).toBeGreaterThan(0);
    expect(published).toHaveLength(60);
  });
});
