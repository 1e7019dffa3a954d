import { escapeHtml } from '../../../../../shared/domain/escape-html.ts';
import { outcomes } from '../../../../../shared/domain/step/outcomes.ts';
import type { SharedReport } from '../../../../../shared/contracts/runs/shared-reports.ts';
import { countText } from './figures.ts';

type Line = SharedReport['steps'][number];

/** Outcomes in the same order as in the console, so that bars can be compared. */
const displayedOutcomes = [...outcomes, 'pending'] as const;
type DisplayedOutcome = (typeof displayedOutcomes)[number];

/** Renders the audience as the sum of all outcomes, and states whether the sum is correct. */
export function equation(line: Line, note: string): string {
  const terms = termsOf([line]).map(
    (outcome, index) => `<span class="sign">${index === 0 ? '=' : '+'}</span>
<div class="term${line[outcome] === 0 ? ' zero' : ''}"><b>${countText(line[outcome])}</b>${outcomeKey(outcome)}</div>`,
  );
  const sum = displayedOutcomes.reduce((users, outcome) => users + line[outcome], 0);
  const isRight = sum === line.audience && line.pending >= 0;
  const verdict = isRight ? '<b class="right">✓ Adds up</b>' : '<b class="wrong">✗ Does not add up</b>';
  return `<section aria-label="The sum"><div class="equation">
<div class="term"><b class="first">${countText(line.audience)}</b><span class="key">audience</span></div>
${terms.join('\n')}</div><footer>${verdict} ${note}</footer></section>`;
}

/** Renders each step for all countries, followed by its countries, with a bar and all numbers. */
export function outcomesTable({ steps, countries }: SharedReport, titleOf: (action: string) => string): string {
  const columns = termsOf(steps);
  const heads = columns.map((outcome) => `<th scope="col">${outcomeKey(outcome)}</th>`).join('');
  const bodies = steps.map((sum) => {
    const own = countries.flatMap(({ country, steps: lines }) =>
      lines.filter(({ step }) => step === sum.step).map((line) => row(country, line, columns, '')),
    );
    const all = row(`${sum.step} ${titleOf(sum.action)}`, sum, columns, ' class="sum"');
    return `<tbody>${[all, ...own].join('\n')}</tbody>`;
  });
  return `<table><thead><tr><th scope="col">Step and country</th><th scope="col">Audience</th>
<th scope="col" class="wide text">Outcomes</th>${heads}</tr></thead>${bodies.join('\n')}</table>`;
}

function row(name: string, line: Line, columns: readonly DisplayedOutcome[], attributes: string): string {
  const cells = columns.map((outcome) => {
    const zero = line[outcome] === 0 ? ' class="zero"' : '';
    return `<td${zero} data-name="${outcomeWord(outcome)}">${countText(line[outcome])}</td>`;
  });
  return `<tr${attributes}><th scope="row">${escapeHtml(name)}</th><td data-name="audience">${countText(line.audience)}</td>
<td class="wide">${bar(line)}</td>${cells.join('')}</tr>`;
}

function bar(line: Line): string {
  const parts = displayedOutcomes.filter((outcome) => line[outcome] > 0);
  const words = parts.map((outcome) => `${countText(line[outcome])} ${outcomeWord(outcome)}`);
  const label = [...words, `of ${countText(line.audience)} users`].join(', ');
  const segments = parts.map((outcome) => `<i class="o-${outcome}" style="flex-grow:${line[outcome]}"></i>`);
  const filled = segments.length > 0 ? segments.join('') : '<i class="o-pending" style="flex-grow:1"></i>';
  return `<div class="bar" role="img" aria-label="${escapeHtml(label)}">${filled}</div>`;
}

/** Returns all outcomes, including those without users. `pending` is included only while users are pending. */
function termsOf(lines: readonly Line[]): DisplayedOutcome[] {
  return displayedOutcomes.filter((outcome) => outcome !== 'pending' || lines.some(({ pending }) => pending !== 0));
}

function outcomeKey(outcome: DisplayedOutcome): string {
  return `<span class="key"><i class="o-${outcome}" aria-hidden="true"></i>${outcomeWord(outcome)}</span>`;
}

function outcomeWord(outcome: DisplayedOutcome): string {
  return outcome === 'heldOut' ? 'held out' : outcome;
}
