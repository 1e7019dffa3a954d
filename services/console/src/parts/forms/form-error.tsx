import { use, useSyncExternalStore } from 'react';
import { fieldPath, problemOf } from '../../api/problems.ts';
import { withTitles } from '../words/action-titles.ts';
import { createFieldRegistry, belongsToField } from './field-registry.ts';
import { FormProblemsContext } from './form-field.tsx';

const noFields = createFieldRegistry();

interface RefusedWholeProps {
  error: Error | null;
  /** Prefix of the form's pointers within the request, such as `/rules/3`. */
  within?: string;
}

/**
 * Lists the reasons for which the API refused a form, except those that a field of the form shows. Must be rendered
 * within the form's `FormProblemsContext`.
 */
export function FormError({ error, within = '' }: RefusedWholeProps) {
  const { fields = noFields } = use(FormProblemsContext);
  const fieldPointers = useSyncExternalStore(fields.subscribe, fields.current);
  if (error === null) return null;
  const { detail, errors } = problemOf(error);
  const others = errors.filter(
    ({ pointer }) => !fieldPointers.some((field) => belongsToField(pointer, `${within}${field}`)),
  );
  if (errors.length > 0 && others.length === 0) return null;
  return (
    <div className="c-bad sm" role="alert">
      <p>{withTitles(detail)}</p>
      {others.map(({ pointer, detail: reason }) => (
        <p key={`${pointer} ${reason}`}>
          {pointer === '' ? withTitles(reason) : `${fieldPath(pointer)}: ${withTitles(reason)}`}
        </p>
      ))}
    </div>
  );
}
