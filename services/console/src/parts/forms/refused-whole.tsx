import { problemOf } from '../../api/problems.ts';
import { withTitles } from '../words/action-titles.ts';

/** Why a form was refused, where that is about no field of it: those say it themselves (`useRefusedFields`). */
export function RefusedWhole({ error }: { error: Error | null }) {
  const problem = error === null ? null : problemOf(error);
  if (problem === null || problem.errors.length > 0) return null;
  return (
    <p className="c-bad sm" role="alert">
      {withTitles(problem.detail)}
    </p>
  );
}
