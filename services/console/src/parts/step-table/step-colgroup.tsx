import { outcomeWords, type OutcomeName } from '../outcomes/outcomes.ts';
import { figureDigits, nameDigits } from './step-columns.ts';
import type { StepTableProps } from './step-lines.ts';

type WidthDeps = Pick<StepTableProps, 'steps' | 'countries' | 'manner'> & { columns: readonly OutcomeName[] };

/** Widths of all columns but the bar's, in digits of the current font. */
export interface StepWidths {
  name: number;
  audience: number;
  outcomes: readonly { key: string; digits: number }[];
}

/** Length of a share, such as `97.2 %`. */
const shareDigits = 6;
/** Padding of each cell; the first and last cell have more at the edge of the panel. */
const paddingPx = 16;
const edgePx = 8;
const leastBarPx = 80;

/** Returns the width that the content of each column needs, in any font. The bar takes the remaining width. */
export function stepWidths({ steps, countries, manner, columns }: WidthDeps): StepWidths {
  const lines = [...steps, ...countries.flatMap((country) => country.steps)];
  const audience = Math.max(0, ...lines.map((line) => line.audience));
  const outcomes = columns.flatMap((outcome) => {
    const largest = Math.max(0, ...lines.map((line) => line[outcome]));
    const column = { key: outcome, digits: figureDigits(outcomeWords[outcome], largest, audience) };
    return hasShare(outcome, manner) ? [column, { key: 'share', digits: shareDigits }] : [column];
  });
  return { name: nameDigits(steps), audience: figureDigits('Audience', audience, audience), outcomes };
}

/** Returns the minimum width of the table. On narrower screens, the table scrolls, so that the bars stay readable. */
export function minTableWidth({ name, audience, outcomes }: StepWidths): string {
  const digits = outcomes.reduce((sum, each) => sum + each.digits, name + audience);
  return `calc(${digits.toFixed(2)}ch + ${(outcomes.length + 3) * paddingPx + 2 * edgePx + leastBarPx}px)`;
}

export function StepColgroup({ widths: { name, audience, outcomes } }: { widths: StepWidths }) {
  return (
    <colgroup>
      <Column digits={name} isAtEdge />
      <Column digits={audience} />
      <col />
      {outcomes.map(({ key, digits }, index) => (
        <Column key={key} digits={digits} isAtEdge={index === outcomes.length - 1} />
      ))}
    </colgroup>
  );
}

function Column({ digits, isAtEdge = false }: { digits: number; isAtEdge?: boolean }) {
  const aroundPx = isAtEdge ? paddingPx + edgePx : paddingPx;
  return <col style={{ width: `calc(${digits.toFixed(2)}ch + ${aroundPx}px)` }} />;
}

/**
 * Returns true if a column with a share follows the outcome's column. Reports show the share of users who succeeded.
 */
export function hasShare(outcome: OutcomeName, manner: StepTableProps['manner']): boolean {
  return outcome === 'succeeded' && manner === 'report';
}
