import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ChainLink, ChainPart, ChainPlace } from './audit-chain.port.ts';
import { verifyPart } from './verify-chain.ts';

const start: ChainPlace = { number: 0, hash: '00'.repeat(32) };

/** Returns entries with these texts, as if they were added one after the other. */
function chainOf(texts: readonly string[], behind = start): ChainLink[] {
  let last = behind;
  return texts.map((text) => {
    const hash = createHash('sha256').update(Buffer.from(last.hash, 'hex')).update(text).digest('hex');
    const link = { number: last.number + 1, hash, text };
    last = link;
    return link;
  });
}

const links = chainOf(['one', 'two', 'three']);
const [first, second, third] = links;
if (!first || !second || !third) throw new Error('three were made');
const whole: ChainPart = { cut: start, head: third, hasBeforeCut: false, previous: null, links };
const verify = (change: Partial<ChainPart>, after?: number) =>
  verifyPart({ ...whole, ...change }, { after, limit: 10 });
const placeOf = ({ number, hash }: ChainLink): ChainPlace => ({ number, hash });

describe('entries of the audit log', () => {
  it('are valid if each hash matches its content, up to the last one', () => {
    expect(verify({})).toEqual({ checked: 3, from: start, to: placeOf(third), broken: null, isEnd: true });
    expect(verify({ links: [], head: start })).toEqual({
      checked: 0,
      from: start,
      to: start,
      broken: null,
      isEnd: true,
    });
  });

  it('can be verified in parts, each of which begins after the last entry of the previous one', () => {
    const part = { ...whole, links: [first, second] };
    expect(verifyPart(part, { limit: 2 })).toEqual({
      checked: 2,
      from: start,
      to: placeOf(second),
      broken: null,
      isEnd: false,
    });
    expect(verify({ previous: second, links: [third] }, 2)).toMatchObject({ checked: 1, broken: null, isEnd: true });
  });

  it('are verified from the oldest entry that is kept, even if the entry after which to begin was deleted', () => {
    expect(verify({ cut: second, links: [third] })).toMatchObject({ checked: 1, from: second, broken: null });
    expect(verify({ cut: second, links: [third] }, 1)).toMatchObject({ checked: 1, broken: null });
  });

  it.each<[what: string, change: Partial<ChainPart>, number, found: string]>([
    ['one that says something else', { links: [first, { ...second, text: 'too' }, third] }, 2, 'changed'],
    ['one with another hash', { links: [first, { ...second, hash: first.hash }, third] }, 2, 'changed'],
    ['one that is gone', { links: [first, third] }, 2, 'missing'],
    ['the first that is gone', { links: [second, third] }, 1, 'missing'],
    ['the last that is gone', { links: [first, second] }, 3, 'missing'],
    ['all that are gone', { links: [] }, 1, 'missing'],
    ['one behind the last', { head: second }, 3, 'added'],
    ['one before those that are kept', { cut: first, links: [second, third], hasBeforeCut: true }, 1, 'added'],
    ['another last hash', { head: { ...third, hash: first.hash } }, 3, 'changed'],
    ['all made anew behind one that is kept elsewhere', { cut: first, links: chainOf(['two', 'three']) }, 2, 'missing'],
  ])('are invalid after a change: %s', (_what, change, number, kind) => {
    expect(verify(change).broken).toMatchObject({ number, what: kind });
  });

  it('are invalid if the entry after which to begin does not exist', () => {
    expect(verify({ links: [] }, 7).broken).toMatchObject({ number: 7, what: 'missing' });
  });
});
