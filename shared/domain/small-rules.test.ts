import { fc } from '../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { batchOfKey, firstChildBatchNo, isChildBatch, requestKey } from './step/batch.ts';
import { publicId, uuidOf } from './ids/ids.ts';
import { cleanCode, cleanDetail } from './step/reasons.ts';
import { backoffMs } from './retry.ts';
import { actionTypePattern, countryPattern, topicNames } from './endpoint/shard.ts';

const uuid = '01939b8e-5a34-7c5b-9d5a-1f0d0a9f7a11';

describe('the request key of a batch', () => {
  it('is the same for every attempt and fits a header', () => {
    const key = requestKey(uuid, 2 ** 31 - 1, 32767);
    expect(key).toBe(requestKey(uuid, 2 ** 31 - 1, 32767));
    expect(key).toMatch(/^[!-~]{1,100}$/);
  });

  it('is parsed into feed, batch and step, up to the greatest number that Postgres stores', () => {
    const batchNo = 2 ** 31 - 1;
    expect(batchOfKey(requestKey(uuid, batchNo, 99))).toEqual({ feedId: uuid, batchNo, step: 99 });
  });

  it.each([
    ['a batch number above an integer of Postgres', `${uuid}-${2 ** 31}-1`],
    ['a batch number of zero', `${uuid}-0-1`],
    ['a step of zero', `${uuid}-1-0`],
    ['a step of three digits', `${uuid}-1-100`],
    ['another text', 'feed-1-1'],
  ])('is not parsed with %s', (_, key) => {
    expect(batchOfKey(key)).toBeUndefined();
  });

  it('differs by feed, batch and step', () => {
    expect(new Set([requestKey('f', 1, 23), requestKey('f', 12, 3), requestKey('f1', 2, 3)]).size).toBe(3);
  });
});

describe('a child batch', () => {
  it('has a number above the numbers of fed batches', () => {
    expect(isChildBatch(firstChildBatchNo)).toBe(true);
    expect(isChildBatch(firstChildBatchNo - 1)).toBe(false);
  });
});

describe('a public id', () => {
  it('has a prefix for its kind and can be converted into the uuid', () => {
    const id = publicId('run', uuid);
    expect(id).toMatch(/^run_[0-9a-z]{26}$/);
    expect(uuidOf('run', id)).toBe(uuid);
  });

  it.each(['run_', 'cmp_01jeds3pkhf1dstpgz1g59yyrh', 'nonsense', '', uuid])(
    '%j is rejected as the id of a run',
    (id) => {
      expect(uuidOf('run', id)).toBeUndefined();
    },
  );
});

describe('backoffMs', () => {
  it('returns between a tenth of the exponential ceiling and the ceiling', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, random) => {
          const ceiling = Math.min(60_000, 500 * 2 ** (attempt - 1));
          const delay = backoffMs({ firstDelayMs: 500, maxDelayMs: 60_000 }, attempt, random);
          expect(delay).toBeGreaterThanOrEqual(Math.floor(ceiling / 10));
          expect(delay).toBeLessThanOrEqual(ceiling);
        },
      ),
    );
  });
});

describe('a code or message of an endpoint', () => {
  it('is cleaned and cut before it is stored', () => {
    expect(cleanCode('out of stock\u0000!')).toBe('outofstock');
    expect(cleanCode('x'.repeat(100))).toHaveLength(64);
    expect(cleanCode('\u0007')).toBe('unspecified');
    expect(cleanDetail(`no\u0000 stock ${'.'.repeat(600)}`)).toHaveLength(500);
    expect(cleanDetail('a\ud800b').isWellFormed()).toBe(true);
  });
});

describe('the name of a topic', () => {
  it('consists of prefix, action type and country', () => {
    const topics = topicNames('muster');
    expect(topics.shard({ actionType: 'award-reward', country: 'SG' })).toBe('muster.award-reward.SG');
  });

  it('has only characters that Kafka allows', () => {
    expect('award-reward').toMatch(actionTypePattern);
    expect('Award').not.toMatch(actionTypePattern);
    expect('sg').not.toMatch(countryPattern);
  });
});
