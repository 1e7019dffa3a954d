import { Fragment, type ReactNode } from 'react';
import { Icon } from '../icon/icon.tsx';
import { formatCount } from '../words/numbers.ts';
import { OutcomeKey } from './outcome-bar.tsx';
import { addsUp, outcomeOrder, type OutcomeCounts } from './outcomes.ts';

export interface EquationProps {
  line: OutcomeCounts & { audience: number };
  /** Subject of the sum, and the figure that it was compared with. */
  children: ReactNode;
}

/** The audience as the sum of all outcomes, zeros included, so that the reader can check the total. */
export function Equation({ line, children }: EquationProps) {
  // A run that has ended has no pending users. If it has some, the sum shows them.
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

/** Shows, as an icon and words, whether the counts add up to the audience. */
export function AddsUp({ isRight }: { isRight: boolean }) {
  return (
    <span className={`row gap-1 ${isRight ? 'c-ok' : 'c-bad'}`}>
      <Icon name={isRight ? 'check' : 'failed'} size={12} />
      <b>{isRight ? 'Adds up' : 'Does not add up'}</b>
    </span>
  );
}
