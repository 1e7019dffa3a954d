import { beforeEach, describe, expect, it } from 'vitest';
import type { DeadLetter, DeadLetters } from '../../../shared/ports/dead-letters.ts';
import type { LaneMessage } from '../../../shared/ports/message-bus.ts';

export interface DeadLettersSubject {
  deadLetters: DeadLetters;
  /** Returns the stored dead letters, in any order. */
  kept(): Promise<{ key: Buffer | null; value: Buffer | null; reason: string }[]>;
}

export function describeDeadLetters(name: string, makeSubject: () => Promise<DeadLettersSubject>): void {
  describe(`dead letters: ${name}`, () => {
    let subject: DeadLettersSubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    it('keep the bytes of a message, also if they are not text', async () => {
      const key = Buffer.from([0, 255, 128]);
      const value = Buffer.from([0xc3, 0x28, 0]);
      await subject.deadLetters.add([letter({ key, value }, 'not JSON')]);
      expect(await subject.kept()).toEqual([{ key, value, reason: 'not JSON' }]);
    });

    it('keep a message without key or value', async () => {
      await subject.deadLetters.add([letter({ key: null, value: null }, 'empty')]);
      expect(await subject.kept()).toEqual([{ key: null, value: null, reason: 'empty' }]);
    });

    it('keep a redelivered message once, with its first reason', async () => {
      await subject.deadLetters.add([letter({}, 'first')]);
      await subject.deadLetters.add([letter({}, 'second')]);
      expect((await subject.kept()).map((letter) => letter.reason)).toEqual(['first']);
    });

    it('distinguish messages by topic, partition and offset', async () => {
      await subject.deadLetters.add([letter({}, 'bad')]);
      await subject.deadLetters.add([letter({ offset: 2 ** 40 }, 'bad')]);
      await subject.deadLetters.add([letter({ partition: 1 }, 'bad')]);
      await subject.deadLetters.add([letter({ topic: 'muster.other' }, 'bad')]);
      expect(await subject.kept()).toHaveLength(4);
    });

    it('keep other bytes at a known position, as after a topic was recreated', async () => {
      await subject.deadLetters.add([letter({ value: Buffer.from('before') }, 'bad')]);
      await subject.deadLetters.add([letter({ value: Buffer.from('after') }, 'bad')]);
      await subject.deadLetters.add([letter({ key: Buffer.from('after'), value: Buffer.from('') }, 'bad')]);
      expect(await subject.kept()).toHaveLength(3);
    });

    it('keep a group of messages in one call, without its duplicates', async () => {
      const letters = [0, 1, 1, 2].map((offset) =>
        letter({ offset, value: Buffer.from(`"\\${offset}`) }, `no ${offset}`),
      );
      await subject.deadLetters.add(letters);
      await subject.deadLetters.add([]);
      expect((await subject.kept()).map(({ reason }) => reason).sort()).toEqual(['no 0', 'no 1', 'no 2']);
    });

    it('remove control characters from a reason', async () => {
      await subject.deadLetters.add([letter({}, 'unexpected \u0000 in JSON')]);
      expect((await subject.kept())[0]?.reason).toBe('unexpected  in JSON');
    });
  });
}

interface MessageSeed {
  topic?: string;
  partition?: number;
  offset?: number;
  key?: Buffer | null;
  value?: Buffer | null;
}

function letter(seed: MessageSeed, reason: string): DeadLetter {
  return { message: message(seed), reason };
}

function message({
  topic = 'muster.award-reward.SG',
  partition = 0,
  offset = 7,
  key = null,
  value = null,
}: MessageSeed): LaneMessage {
  return { lane: { topic, partition, assignment: 1 }, offset, key, value };
}
