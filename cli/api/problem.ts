import type { Problem, RefusalWording } from './failures.ts';
import { oneLine } from '../show/text.ts';
import { inCommands } from './in-commands.ts';

/** Generic detail of a problem whose information is only in its list of errors. */
const genericDetail = 'the request has problems';

export function renderProblem(problem: Problem, wording: RefusalWording = {}): string {
  const { status, errors } = problem;
  const { labelOf = (pointer: string) => pointer } = wording;
  const lines = errors.map(({ pointer, detail: what, code }) => {
    const label = labelOf(pointer);
    return `  ${label === '' ? '' : `${label}  `}${what ?? code ?? ''}`;
  });
  const hint =
    status === 401
      ? ['  set MUSTER_API_KEY to a key that is good; whoever runs Muster makes one with `muster first-key <name>`']
      : [];
  return [headOf(problem, wording), ...lines, ...hint].map((line) => `${oneLine(inCommands(line))}\n`).join('');
}

function headOf({ title, detail = title, status }: Problem, { outcome }: RefusalWording): string {
  // For an invalid key (401), the title is more helpful than the outcome of the command.
  if (outcome !== undefined && status !== 401) return `${outcome}: ${detail === genericDetail ? '' : detail}`.trimEnd();
  return detail === title ? title : `${title}: ${detail}`;
}
