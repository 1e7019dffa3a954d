import { useMemo } from 'react';
import { problemOf } from '../../api/problems.ts';
import type { FormProblems } from './form-field.tsx';

/** What the API says is wrong, at its field; what is wrong with one of a list stands at the list. */
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
