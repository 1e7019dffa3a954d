import type { Paint } from '../show/paint.ts';
import { oneLine } from '../show/text.ts';
import type { Verdict } from './verdict.ts';

export function renderVerdict({ url, class: contractClass, passed, checks, notes }: Verdict, paint: Paint): string {
  const kind = contractClass === 'segmentation' ? 'segmentation services' : `class ${contractClass}`;
  const lines = [`${oneLine(url)}, ${kind}`, ''];
  for (const check of checks) {
    lines.push(`${check.passed ? paint.good('✔') : paint.bad('✖')} ${check.title}`);
    for (const problem of check.problems) lines.push(`    ${oneLine(problem)}`);
    for (const note of check.notes) lines.push(paint.faint(`    ${oneLine(note)}`));
  }
  const broken = checks.filter((check) => !check.passed).length;
  const verdict = passed
    ? paint.good(`keeps the contract of ${kind}, as far as it was played`)
    : paint.bad(`breaks the contract of ${kind} in ${broken} of ${checks.length} checks`);
  lines.push('', ...notes.map((note) => paint.faint(oneLine(note))), verdict);
  return `${lines.join('\n')}\n`;
}
