import { memo } from 'react';
import { formatCount } from '../words/numbers.ts';
import { OutcomeBar } from '../outcomes/outcome-bar.tsx';
import { outcomeWords, segmentsOf } from '../outcomes/outcomes.ts';
import {
  linesOf,
  type CountryMark,
  type StepCounts,
  type StepFolds,
  type StepTableProps,
  type StepWait,
} from './step-lines.ts';
import { StepName } from './step-line.tsx';
import { Mark } from './step-mark.tsx';

/** The table of steps on narrow screens: one card per step, with every number in words below its bar. */
export function StepCards({ steps, countries, markOf, waitOf, opened, onToggle }: StepTableProps & StepFolds) {
  return steps.map((line) => {
    const isOpen = opened?.has(line.step);
    return (
      <section key={line.step} className="p-3 border-line not-first:border-t">
        <div className="row">
          <h3 className="text-base">
            <StepName line={line} isOpen={isOpen} onToggle={onToggle} />
          </h3>
          <SucceededOf line={line} />
        </div>
        {(countries.length === 0 || isOpen === false) && (
          <div className="grid gap-1 mt-1">
            <OutcomeBar counts={line} audience={line.audience} />
            <OtherNumbers line={line} />
          </div>
        )}
        {linesOf(countries, line.step, isOpen).map(({ country, line: ofCountry }) => (
          <CountryCard
            key={country}
            country={country}
            line={ofCountry}
            mark={markOf?.(country, line.step) ?? null}
            wait={waitOf?.(country, line.step) ?? null}
          />
        ))}
      </section>
    );
  });
}

interface CountryCardProps {
  country: string;
  /** Figures of the country in this step. The object is the same until its figures change. */
  line: StepCounts;
  mark: CountryMark | null;
  wait: StepWait | null;
}

/** Card of a country in a step. Renders again only if its figures have changed. */
const CountryCard = memo(function CountryCard({ country, line, mark, wait }: CountryCardProps) {
  return (
    <div className="grid gap-1 mt-3">
      <div className="row sm">
        <b>{country}</b>
        <Mark mark={mark} wait={wait} hasVisibleWords />
        <SucceededOf line={line} />
      </div>
      <OutcomeBar counts={line} audience={line.audience} />
      <OtherNumbers line={line} />
    </div>
  );
}, isSame);

/** Compares by value: each patch computes the wait anew, mostly with the same result. */
function isSame(before: CountryCardProps, now: CountryCardProps): boolean {
  return (
    before.country === now.country &&
    before.line === now.line &&
    before.mark === now.mark &&
    before.wait?.words === now.wait?.words
  );
}

function SucceededOf({ line }: { line: StepCounts }) {
  return (
    <span className="ml-auto sm">
      <b>{formatCount(line.succeeded)}</b> <span className="t3">of {formatCount(line.audience)}</span>
    </span>
  );
}

function OtherNumbers({ line }: { line: StepCounts }) {
  const others = segmentsOf(line).filter(({ outcome }) => outcome !== 'succeeded');
  return (
    <div className="row flex-wrap xs t3 gap-y-0 gap-x-2.5">
      {others.map(({ outcome, users }) => (
        <span key={outcome}>
          {formatCount(users)} {outcomeWords[outcome]}
        </span>
      ))}
    </div>
  );
}
