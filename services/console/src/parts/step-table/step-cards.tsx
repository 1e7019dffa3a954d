import { formatCount } from '../words/numbers.ts';
import { OutcomeBar } from '../outcomes/outcome-bar.tsx';
import { outcomeWords, segmentsOf } from '../outcomes/outcomes.ts';
import type { StepCounts, StepTableProps } from './step-lines.ts';
import { Mark } from './step-mark.tsx';

/**
 * The table of steps where there is no room for one: a card for each step, with every number in words below its bar.
 */
export function StepCards({ steps, countries, markOf }: StepTableProps) {
  return (
    <div className="narrow">
      {steps.map((line) => (
        <section key={line.step} className="p-3 border-line not-first:border-t">
          <div className="row">
            <h3 className="text-base">
              {line.step}&ensp;{line.action}
            </h3>
            <SucceededOf line={line} />
          </div>
          {countries.length === 0 && (
            <div className="grid gap-1 mt-1">
              <OutcomeBar counts={line} audience={line.audience} />
              <OtherNumbers line={line} />
            </div>
          )}
          {countries.map(({ country, steps: own }) => {
            const ofCountry = own.find(({ step }) => step === line.step);
            if (!ofCountry) return null;
            return (
              <div key={country} className="grid gap-1 mt-3">
                <div className="row sm">
                  <b>{country}</b>
                  <Mark mark={markOf?.(country, line.step) ?? null} hasVisibleWords />
                  <SucceededOf line={ofCountry} />
                </div>
                <OutcomeBar counts={ofCountry} audience={ofCountry.audience} />
                <OtherNumbers line={ofCountry} />
              </div>
            );
          })}
        </section>
      ))}
    </div>
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
