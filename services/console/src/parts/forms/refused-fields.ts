import { useMemo } from 'react';
import { problemOf } from '../../api/problems.ts';
import type { FormProblems } from './form-field.tsx';

/** Returns the problems that the API reported, by field. A problem with one item of a list is shown at the list. */
export function useRefusedFields(error: Error | null): FormProblems {
  return useMemo(() => {
    const errors = error === null ? [] : problemOf(error).errors;
    const at = (pointer: string) =>
      errors
        .filter((each) => each.pointer === pointer || each.pointer.startsWith(`${pointer}/`))
        .map(({ detail }) => ({ detail, tone: 'bad' as const }));
    return { at, onLeave: () => undefined };
  }, [error]);
}
