import { problemOf } from '../../api/problems.ts';
import { withTitles } from '../words/action-titles.ts';

/** Reason why the API refused a form, if it is not about a field; fields use `useRefusedFields`. */
export function RefusedWhole({ error }: { error: Error | null }) {
  const problem = error === null ? null : problemOf(error);
  if (problem === null || problem.errors.length > 0) return null;
  return (
    <p className="c-bad sm" role="alert">
      {withTitles(problem.detail)}
    </p>
  );
}
