import { beforeEach, describe, expect, it } from 'vitest';
import type { DeadLetters } from '../../../shared/ports/dead-letters.ts';
import type { LaneMessage } from '../../../shared/ports/message-bus.ts';

export interface DeadLettersSubject {
  deadLetters: DeadLetters;
  /** What has been kept, in any order. */
  kept(): Promise<{ key: Buffer | null; value: Buffer | null; reason: string }[]>;
}

export function describeDeadLetters(name: string, makeSubject: () => Promise<DeadLettersSubject>): void {
  describe(`dead letters: ${name}`, () => {
    let subject: DeadLettersSubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    it('keeps a record with its bytes, also when they are no text', async () => {
      const key = Buffer.from([0, 255, 128]);
      const value = Buffer.from([0xc3, 0x28, 0]);
      await subject.deadLetters.deadLetter(record({ key, value }), 'not JSON');
      expect(await subject.kept()).toEqual([{ key, value, reason: 'not JSON' }]);
    });

    it('keeps a record without key or value', async () => {
      await subject.deadLetters.deadLetter(record({ key: null, value: null }), 'empty');
      expect(await subject.kept()).toEqual([{ key: null, value: null, reason: 'empty' }]);
    });

    it('keeps a record once, with its first reason, however often it comes', async () => {
      await subject.deadLetters.deadLetter(record({}), 'first');
      await subject.deadLetters.deadLetter(record({}), 'second');
      expect((await subject.kept()).map((letter) => letter.reason)).toEqual(['first']);
    });

    it('tells records apart by topic, partition and offset', async () => {
      await subject.deadLetters.deadLetter(record({}), 'bad');
      await subject.deadLetters.deadLetter(record({ offset: 2 ** 40 }), 'bad');
      await subject.deadLetters.deadLetter(record({ partition: 1 }), 'bad');
      await subject.deadLetters.deadLetter(record({ topic: 'muster.other' }), 'bad');
      expect(await subject.kept()).toHaveLength(4);
    });

    it('keeps a reason that quotes control characters without them', async () => {
      await subject.deadLetters.deadLetter(record({}), 'unexpected \u0000 in JSON');
      expect((await subject.kept())[0]?.reason).toBe('unexpected  in JSON');
    });
  });
}

interface RecordSeed {
  topic?: string;
  partition?: number;
  offset?: number;
  key?: Buffer | null;
  value?: Buffer | null;
}

function record({
  topic = 'muster.award-reward.SG',
  partition = 0,
  offset = 7,
  key = null,
  value = null,
}: RecordSeed): LaneMessage {
  return { lane: { topic, partition, assignment: 1 }, offset, key, value };
}
