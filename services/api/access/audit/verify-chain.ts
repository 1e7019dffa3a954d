import { createHash } from 'node:crypto';
import type { ChainPart, ChainPlace } from './audit-chain.port.ts';

export interface BrokenLink {
  number: number;
  what: 'changed' | 'missing' | 'added';
  because: string;
}

export interface VerifiedPart {
  checked: number;
  /** The entry before the verified ones. It is not verified itself. */
  from: ChainPlace;
  to: ChainPlace;
  broken: BrokenLink | null;
  /** True if there are no entries after these. */
  isEnd: boolean;
}

/** Verifies that no entry was changed and that none is missing (docs/decisions/0016-run-history-and-audit-log.md). */
export function verifyPart(
  part: ChainPart,
  { after, limit }: { after?: number | undefined; limit: number },
): VerifiedPart {
  const { cut, head, links } = part;
  // If the entry `after` was deleted because of its age, verification begins after the last deleted entry.
  const from = after === undefined || after <= cut.number ? cut : part.previous;
  if (!from) {
    const number = after ?? 0;
    return brokenAt({ number, what: 'missing', because: `there is no entry ${number}` }, cut, cut, 0);
  }
  let to = from;
  if (part.hasBeforeCut)
    return brokenAt(
      { number: cut.number, what: 'added', because: `the entries up to ${cut.number} were deleted` },
      from,
      to,
      0,
    );
  for (const [checked, { text, ...link }] of links.entries()) {
    const wanted = to.number + 1;
    if (link.number !== wanted)
      return brokenAt(
        { number: wanted, what: 'missing', because: `${link.number} follows ${to.number}` },
        from,
        to,
        checked,
      );
    if (hashAfter(to, text) !== link.hash)
      return brokenAt(
        { number: wanted, what: 'changed', because: 'its hash does not match its content' },
        from,
        to,
        checked,
      );
    to = link;
  }
  const isEnd = links.length < limit;
  return { checked: links.length, from, to, broken: isEnd ? brokenHead(to, head) : null, isEnd };
}

function brokenHead(last: ChainPlace, head: ChainPlace): BrokenLink | null {
  const because = `${head.number} entries were added, but the last one is ${last.number}`;
  if (last.number < head.number) return { number: last.number + 1, what: 'missing', because };
  if (last.number > head.number) return { number: last.number, what: 'added', because };
  if (last.hash === head.hash) return null;
  return { number: last.number, what: 'changed', because: 'its hash differs from the last hash that was added' };
}

function brokenAt(broken: BrokenLink, from: ChainPlace, to: ChainPlace, checked: number): VerifiedPart {
  return { checked, from, to, broken, isEnd: true };
}

function hashAfter({ hash }: ChainPlace, text: string): string {
  return createHash('sha256').update(hash, 'hex').update(text).digest('hex');
}
