import type { Problem, RefusalWording } from './failures.ts';
import { oneLine } from '../show/text.ts';
import { inCommands } from './in-commands.ts';

/** Detail of a problem that only consists of its list of errors. */
const sayingNothing = 'the request has problems';

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
  // The title describes an invalid key or address best.
  if (outcome !== undefined && status !== 401) return `${outcome}: ${detail === sayingNothing ? '' : detail}`.trimEnd();
  return detail === title ? title : `${title}: ${detail}`;
}
