import { createContext, use, useEffect, useId, type ReactNode } from 'react';
import { capitalize } from '../words/figures.ts';
import { Icon } from '../icon/icon.tsx';
import { withTitles } from '../words/action-titles.ts';
import type { FieldRegistry } from './field-registry.ts';

export interface FieldProblem {
  detail: string;
  tone: 'bad' | 'warn';
}

export interface FormProblems {
  /** Returns the problems to show at a field. Empty if there are none, or they should not be shown yet. */
  at(pointer: string): readonly FieldProblem[];
  /** Called when the user leaves a field: its problems are shown from now on. */
  onLeave(pointer: string): void;
  /** Fields that the form shows. Absent in forms that list problems without a field in another way. */
  fields?: FieldRegistry;
}

export const FormProblemsContext = createContext<FormProblems>({ at: () => [], onLeave: () => undefined });

/** Returns the problems of a pointer, and registers that a field shows them. */
function useProblemsAt(pointer: string): readonly FieldProblem[] {
  const form = use(FormProblemsContext);
  const { fields } = form;
  useEffect(() => fields?.add(pointer), [fields, pointer]);
  return form.at(pointer);
}

export interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
  'aria-required': true | undefined;
  'data-wrong': true | undefined;
  'data-pointer': string;
  onBlur: () => void;
}

interface FormFieldProps {
  /** JSON pointer of the field within the definition. */
  pointer: string;
  label: string;
  /** Text beside the label, such as the effect of the field. */
  note?: ReactNode | undefined;
  hint?: ReactNode | undefined;
  required?: boolean | undefined;
  /** Hides the label visually, if the position of the field already shows the meaning. */
  isLabelHidden?: boolean;
  className?: string | undefined;
  children: (control: ControlProps) => ReactNode;
}

export function FormField(props: FormFieldProps) {
  const { pointer, label, note, hint, required, isLabelHidden = false, className, children } = props;
  const id = useId();
  const form = use(FormProblemsContext);
  const problems = useProblemsAt(pointer);
  const isWrong = problems.some(({ tone }) => tone === 'bad') ? true : undefined;
  const isDescribed = hint !== undefined || problems.length > 0;
  return (
    <div className={className}>
      <label className={isLabelHidden ? 'sr-only' : 'lab'} htmlFor={id}>
        {label}
        {required === true && <span className="t3"> needed</span>}
        {note !== undefined && <span className="t3"> {note}</span>}
      </label>
      {children({
        id,
        'aria-describedby': isDescribed ? `${id}-hint` : undefined,
        'aria-invalid': isWrong,
        'aria-required': required === true ? true : undefined,
        'data-wrong': isWrong,
        'data-pointer': pointer,
        onBlur: () => form.onLeave(pointer),
      })}
      {isDescribed && (
        <div id={`${id}-hint`}>
          <ProblemTexts problems={problems} />
          {hint !== undefined && isWrong === undefined && <div className="hint">{hint}</div>}
        </div>
      )}
    </div>
  );
}

interface FieldGroupProps {
  pointer: string;
  label: string;
  isLabelHidden?: boolean;
  note?: ReactNode | undefined;
  className?: string | undefined;
  children: ReactNode;
}

export function FieldGroup({ pointer, label, isLabelHidden = false, note, className, children }: FieldGroupProps) {
  const id = useId();
  const problems = useProblemsAt(pointer);
  const isWrong = problems.some(({ tone }) => tone === 'bad') ? true : undefined;
  return (
    <div
      role="group"
      aria-labelledby={id}
      className={className}
      data-wrong={isWrong}
      data-pointer={pointer}
      tabIndex={isWrong === true ? -1 : undefined}
    >
      <span className={isLabelHidden ? 'sr-only' : 'lab'} id={id}>
        {label}
        {note !== undefined && <span className="t3"> {note}</span>}
      </span>
      {children}
      <ProblemTexts problems={problems} />
    </div>
  );
}

/** Problems at a pointer that has no field of its own. */
export function ProblemsAt({ pointer }: { pointer: string }) {
  return <ProblemTexts problems={useProblemsAt(pointer)} />;
}

function ProblemTexts({ problems }: { problems: readonly FieldProblem[] }) {
  return problems.map(({ detail, tone }) => (
    <div key={`${tone} ${detail}`} className={`hint ${tone === 'bad' ? 'c-bad' : 'c-warn'} flex gap-1.25`}>
      <Icon name={tone === 'bad' ? 'failed' : 'warn'} size={12} className="mt-0.5" />
      <span>{capitalize(withTitles(detail))}</span>
    </div>
  ));
}
