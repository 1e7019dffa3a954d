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

/** The table of docs/contracts.md once more, in its own words: closed and open, for A, B, C and D. */
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
  it.each(readings)('%s is as agreed, in every class, open and not', (reading) => {
    const row = (open: boolean) => classes.map((of) => consequenceOf(of, open, reading)).join(' ');
    expect([row(false), row(true)]).toEqual(agreed[reading]);
  });

  it('fails nobody under an open key', () => {
    for (const [of, reading] of cells) expect(consequenceOf(of, true, reading)).not.toBe('fail');
  });

  it('leads to no new key under an open key, unless the endpoint knows each user again (class A)', () => {
    const newKeys: readonly Consequence[] = ['retry', 'split'];
    for (const [of, reading] of cells) {
      if (of !== 'A') expect(newKeys).not.toContain(consequenceOf(of, true, reading));
    }
  });

  it('sends nothing again in class D after a call that may have been applied', () => {
    const sends: readonly Consequence[] = ['retry', 'split', 'send-again', 'hold'];
    for (const reading of readings) expect(sends).not.toContain(consequenceOf('D', true, reading));
    expect(consequenceOf('D', false, 'ambiguous')).toBe('unknown');
  });

  it('never fails anybody because nobody knows, however often that was', () => {
    for (const of of classes) expect(consequenceOf(of, false, 'ambiguous')).not.toBe('fail');
  });

  it('keeps that on any way through an open key: whatever is read until the key is settled', () => {
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
  ])('%s: %s', (reading, consequence) => {
    expect(consequenceOfStatus(reading)).toBe(consequence);
  });

  it('lets a user be sent again only where nothing was applied and nothing will be', () => {
    const sends: readonly Consequence[] = ['retry', 'split', 'send-again', 'hold'];
    const sent = statusReadings.filter((reading) => sends.includes(consequenceOfStatus(reading)));
    expect(sent).toEqual(['retryable', 'not-found']);
  });

  it('is the outcome that a whole answer would have had, where it is one', () => {
    for (const reading of ['succeeded', 'failed', 'retryable', 'used-up'] as const) {
      expect(consequenceOfStatus(reading)).toBe(consequenceOf('C', false, reading));
    }
  });
});

describe('an endpoint that keeps what it did for a time', () => {
  const day = 86_400;

  it.each<[ContractClass, number, ContractClass]>([
    ['A', 29 * day, 'A'],
    ['B', 29 * day, 'B'],
    ['A', 30 * day, 'D'],
    ['B', 31 * day, 'D'],
    ['C', 31 * day, 'C'],
    ['D', 0, 'D'],
  ])('of class %s counts after %i s as %s', (of, ageSeconds, expected) => {
    expect(classAtAge(of, 30 * day, ageSeconds * 1000)).toBe(expected);
  });
});

describe('at the deadline', () => {
  it('nobody is said not to have been served where a key is open', () => {
    expect([atDeadline(false), atDeadline(true)]).toEqual(['expired', 'unknown']);
  });
});
