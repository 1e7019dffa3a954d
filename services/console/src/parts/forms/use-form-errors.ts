import { useMemo, useState } from 'react';
import { problemOf } from '../../api/problems.ts';
import { createFieldRegistry, belongsToField } from './field-registry.ts';
import type { FormProblems } from './form-field.tsx';

/** Returns the problems that the API reported, by field. `FormError` shows those without a field. */
export function useFormErrors(error: unknown): FormProblems {
  const [fields] = useState(createFieldRegistry);
  return useMemo(() => {
    const errors = error === null ? [] : problemOf(error).errors;
    const at = (pointer: string) =>
      errors
        .filter((each) => belongsToField(each.pointer, pointer))
        .map(({ detail }) => ({ detail, tone: 'bad' as const }));
    return { at, onLeave: () => undefined, fields };
  }, [error, fields]);
}
