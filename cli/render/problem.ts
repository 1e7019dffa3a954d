import type { Problem } from '../campaigns/api-client.ts';
import { oneLine } from './text.ts';

/** What the API refused and why, a line for each mistake. */
export function renderProblem({ title, status, detail, errors }: Problem): string {
  const head = detail === undefined || detail === title ? title : `${title}: ${detail}`;
  const lines = errors.map(({ pointer, detail: what, code }) => `  ${pointer}  ${what ?? code ?? ''}`);
  const hint = status === 401 ? ['  set MUSTER_API_KEY; `muster api-key create` makes one'] : [];
  return [head, ...lines, ...hint].map((line) => `${oneLine(line)}\n`).join('');
}
