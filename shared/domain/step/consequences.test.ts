import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import {
  atDeadline,
  classAtAge,
  consequenceOf,
  consequenceOfStatus,
  readings,
  statusReadings,
  wholeAnswerSettles,
  type Consequence,
  type ContractClass,
  type ReadingKind,
  type StatusReading,
} from './consequences.ts';

const classes: readonly ContractClass[] = ['A', 'B', 'C', 'D'];
const cells = classes.flatMap((of) => readings.map((reading) => [of, reading] as const));

/** The table of docs/contracts.md in other words: closed and open key, for classes A, B, C and D. */
const agreed: Record<ReadingKind, readonly [closed: string, open: string]> = {
  succeeded: ['succeed succeed succeed succeed', 'succeed succeed succeed succeed'],
  failed: ['fail fail fail fail', 'retry send-again ask-status unknown'],
  retryable: ['retry retry retry retry', 'retry send-again ask-status unknown'],
  'used-up': ['fail fail fail fail', 'retry send-again ask-status unknown'],
  missing: ['retry unknown ask-status unknown', 'retry unknown ask-status unknown'],
  refused: ['split split split split', 'split send-again ask-status unknown'],
  'refused-alone': ['fail fail fail fail', 'send-again send-again ask-status unknown'],
  misconfigured: ['hold hold hold hold', 'hold hold ask-status unknown'],
  'not-applied': ['send-again send-again send-again send-again', 'send-again send-again ask-status unknown'],
  ambiguous: ['send-again send-again ask-status unknown', 'send-again send-again ask-status unknown'],
};

describe('the consequence of an answer', () => {
  it.each(readings)('for %s is as documented in every class, with a closed and an open key', (reading) => {
    const row = (open: boolean) => classes.map((of) => consequenceOf(of, open, reading)).join(' ');
    expect([row(false), row(true)]).toEqual(agreed[reading]);
  });

  it('fails no user under an open key', () => {
    for (const [of, reading] of cells) expect(consequenceOf(of, true, reading)).not.toBe('fail');
  });

  it('uses no new key under an open key, except in class A', () => {
    const newKeys: readonly Consequence[] = ['retry', 'split'];
    for (const [of, reading] of cells) {
      if (of !== 'A') expect(newKeys).not.toContain(consequenceOf(of, true, reading));
    }
  });

  it('repeats nothing in class D after a call that may have been applied', () => {
    const sends: readonly Consequence[] = ['retry', 'split', 'send-again', 'hold'];
    for (const reading of readings) expect(sends).not.toContain(consequenceOf('D', true, reading));
    expect(consequenceOf('D', false, 'ambiguous')).toBe('unknown');
  });

  it('fails no user for an ambiguous call', () => {
    for (const of of classes) expect(consequenceOf(of, false, 'ambiguous')).not.toBe('fail');
  });

  it('never fails users while their key is open, whatever the sequence of answers', () => {
    const kind = fc.constantFrom(...readings);
    fc.assert(
      fc.property(fc.constantFrom(...classes), fc.array(kind, { maxLength: 12 }), (of, way) => {
        let open = true;
        for (const reading of way) {
          const consequence = consequenceOf(of, open, reading);
          if (open) expect(consequence).not.toBe('fail');
          if (open && of === 'B') expect(['retry', 'split']).not.toContain(consequence);
          const isWhole = ['succeeded', 'failed', 'retryable', 'used-up', 'missing'].includes(reading);
          if (isWhole && wholeAnswerSettles(of)) open = false;
          if (!['send-again', 'hold'].includes(consequence)) return;
        }
      }),
    );
  });
});

describe('the consequence of a status', () => {
  it.each<[StatusReading, Consequence]>([
    ['succeeded', 'succeed'],
    ['failed', 'fail'],
    ['retryable', 'retry'],
    ['used-up', 'fail'],
    ['not-found', 'send-again'],
    ['in-progress', 'ask-status'],
    ['missing', 'ask-status'],
  ])('for %s is %s', (reading, consequence) => {
    expect(consequenceOfStatus(reading)).toBe(consequence);
  });

  it('repeats a call only for the statuses retryable and not-found', () => {
    const sends: readonly Consequence[] = ['retry', 'split', 'send-again', 'hold'];
    const sent = statusReadings.filter((reading) => sends.includes(consequenceOfStatus(reading)));
    expect(sent).toEqual(['retryable', 'not-found']);
  });

  it('equals the consequence of an answer that contains the final status', () => {
    for (const reading of ['succeeded', 'failed', 'retryable', 'used-up'] as const) {
      expect(consequenceOfStatus(reading)).toBe(consequenceOf('C', false, reading));
    }
  });
});

describe('an endpoint with a key lifetime', () => {
  const day = 86_400;

  it.each<[ContractClass, number, ContractClass]>([
    ['A', 29 * day, 'A'],
    ['B', 29 * day, 'B'],
    ['A', 30 * day, 'D'],
    ['B', 31 * day, 'D'],
    ['C', 31 * day, 'C'],
    ['D', 0, 'D'],
  ])('changes its class with the age of a key: class %s after %i s is %s', (of, ageSeconds, expected) => {
    expect(classAtAge(of, 30 * day, ageSeconds * 1000)).toBe(expected);
  });
});

describe('the outcome at the deadline', () => {
  it('is unknown with an open key, otherwise expired', () => {
    expect([atDeadline(false), atDeadline(true)]).toEqual(['expired', 'unknown']);
  });
});
