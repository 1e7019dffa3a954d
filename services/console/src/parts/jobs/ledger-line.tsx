import { Fragment } from 'react';
import type { ClientLedger } from '#client/types.gen.ts';
import { AddsUp } from '../outcomes/equation.tsx';
import { formatCount } from '../words/numbers.ts';

const terms = ['called', 'expired', 'cancelled', 'dead', 'sidelined', 'pending'] as const;

/** All jobs accepted for a client, as the sum of their outcomes. */
export function LedgerLine({ ledger }: { ledger: ClientLedger }) {
  const { accepted, balanced, check } = ledger;
  const sum = terms.reduce((all, term) => all + ledger[term], 0);
  return (
    <section className="row flex-wrap sm gap-x-3 gap-y-1" aria-label="The ledger">
      <AddsUp isRight={balanced && sum === accepted} />
      <span className="whitespace-nowrap">
        <b>{formatCount(accepted)}</b> <span className="t2">accepted so far</span>
      </span>
      {terms.map((term, index) => (
        <Fragment key={term}>
          <span className="t3">{index === 0 ? '=' : '+'}</span>
          <span className="whitespace-nowrap">
            <b>{formatCount(ledger[term])}</b> <span className="t2">{term}</span>
          </span>
        </Fragment>
      ))}
      {check !== null && check.difference !== 0 && (
        <span className="c-bad">
          {formatCount(check.counted)} were found stored, {formatCount(check.stored)} should be
        </span>
      )}
    </section>
  );
}
