import { useMemo, useState } from 'react';
import { problemOf } from '../../api/problems.ts';
import { createFieldRegistry, isShownAt } from './field-registry.ts';
import type { FormProblems } from './form-field.tsx';

/** Returns the problems that the API reported, by field. `RefusedWhole` shows those without a field. */
export function useRefusedFields(error: Error | null): FormProblems {
  const [fields] = useState(createFieldRegistry);
  return useMemo(() => {
    const errors = error === null ? [] : problemOf(error).errors;
    const at = (pointer: string) =>
      errors.filter((each) => isShownAt(each.pointer, pointer)).map(({ detail }) => ({ detail, tone: 'bad' as const }));
    return { at, onLeave: () => undefined, fields };
  }, [error, fields]);
}
