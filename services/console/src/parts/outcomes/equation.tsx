import { Fragment, type ReactNode } from 'react';
import { Icon } from '../icon/icon.tsx';
import { formatCount } from '../words/numbers.ts';
import { OutcomeKey } from './outcome-bar.tsx';
import { addsUp, outcomeOrder, type OutcomeCounts } from './outcomes.ts';

export interface EquationProps {
  line: OutcomeCounts & { audience: number };
  /** What the sum is of, and what it was checked against. */
  children: ReactNode;
}

/** The audience as the sum of all outcomes, zeros too: nobody has to believe a total. */
export function Equation({ line, children }: EquationProps) {
  // Nobody is pending in what has ended; somebody who is belongs in the sum.
  const terms = outcomeOrder.filter((outcome) => outcome !== 'pending' || line.pending !== 0);
  const isRight = addsUp(line);
  return (
    <section className="panel" aria-label="The sum">
      <div className="equation">
        <div className="term">
          <b className="first">{formatCount(line.audience)}</b>
          <span className="key">audience</span>
        </div>
        {terms.map((outcome, index) => (
          <Fragment key={outcome}>
            <span className="sign">{index === 0 ? '=' : '+'}</span>
            <div className={line[outcome] === 0 ? 'term zero' : 'term'}>
              <b>{formatCount(line[outcome])}</b>
              <OutcomeKey outcome={outcome} />
            </div>
          </Fragment>
        ))}
      </div>
      <footer className="row flex-wrap">
        <AddsUp isRight={isRight} />
        <span>{children}</span>
      </footer>
    </section>
  );
}

/** Whether numbers make up their audience, said with a sign and a word. */
export function AddsUp({ isRight }: { isRight: boolean }) {
  return (
    <span className={`row gap-1 ${isRight ? 'c-ok' : 'c-bad'}`}>
      <Icon name={isRight ? 'check' : 'failed'} size={12} />
      <b>{isRight ? 'Adds up' : 'Does not add up'}</b>
    </span>
  );
}
