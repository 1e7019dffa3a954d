import type { ReactNode } from 'react';
import type { BudgetChangesInput, RunProgress } from '#client/types.gen.ts';
import { FormField, type ControlProps } from '../../../parts/forms/form-field.tsx';
import type { LimitEffect } from './limit-effects.ts';
import type { LimitChanges, LimitName, LimitTexts } from './limits.ts';

export interface LimitLinesProps {
  progress: RunProgress;
  /** Limits as they were when the dialog opened; `now` contains the current limits. */
  initial: LimitTexts;
  now: LimitTexts;
  typed: LimitTexts;
  changes: LimitChanges;
  zone: string;
  first: LimitName;
  onType: (name: LimitName, text: string) => void;
}

interface LimitLineProps extends Pick<LimitLinesProps, 'initial' | 'now' | 'typed' | 'changes' | 'first' | 'onType'> {
  name: LimitName;
  label: string;
  /** Text for a missing limit, such as `none`. */
  none?: string;
  effect: LimitEffect;
  children: (control: LimitControl) => ReactNode;
}

export type LimitControl = ControlProps & {
  value: string;
  onText: (text: string) => void;
  'data-autofocus'?: true;
};

export function LimitLine(props: LimitLineProps) {
  const { name, label, none = 'no limit', effect, initial, now, typed, changes, first, onType, children } = props;
  const text = typed[name];
  const isTyped = text !== undefined && text !== now[name];
  const isChangedByOthers = isTyped && now[name] !== initial[name];
  return (
    <FormField
      pointer={pointerOf(name, changes.budgets)}
      label={label}
      note={`now ${now[name] === '' ? none : now[name]}`}
      hint={
        <Effect effect={effect} others={isChangedByOthers ? `Another person has changed it to ${now[name]}.` : null} />
      }
      className={[
        'grid grid-cols-[172px_164px_minmax(0,1fr)] gap-3.5 items-center py-2.25 px-3 border-t border-line first:border-0',
        'phone:grid-cols-[minmax(0,1fr)_152px] phone:gap-x-3 phone:gap-y-1.5 phone:px-2.5 phone:[&>:last-child]:col-span-full',
        '[&>.lab]:m-0 [&>.lab>.t3]:block [&>.lab>.t3]:font-normal [&_.hint]:mt-0 [&_.hint:not(.c-bad)]:text-quiet',
        isTyped ? '[&_.inp]:border-(--accent) [&_.inp]:font-medium' : '',
      ].join(' ')}
    >
      {(control) =>
        children({
          ...control,
          value: text ?? now[name] ?? '',
          onText: (changed) => onType(name, changed),
          ...(name === first && { 'data-autofocus': true }),
        })
      }
    </FormField>
  );
}

function Effect({ effect: { lead, text, warning }, others }: { effect: LimitEffect; others: string | null }) {
  return (
    <span aria-live="polite">
      {lead !== undefined && <strong className="text-main">{lead}</strong>}
      {text}
      {warning !== undefined && <b className="c-warn"> {warning}</b>}
      {others !== null && <b className="c-warn"> {others}</b>}
    </span>
  );
}

const pointers = {
  pace: '/paceUsersPerSecond',
  deadline: '/deadlineAt',
  priority: '/priority',
  failedPercent: '/pauseAtFailedPercent',
} as const;

/**
 * Returns the JSON pointer at which the API reports problems of a limit.
 * @param budgets requested budgets; the API identifies each by its index
 */
export function pointerOf(name: LimitName, budgets: BudgetChangesInput['budgets']): string {
  if (name === 'pace' || name === 'deadline' || name === 'priority' || name === 'failedPercent') return pointers[name];
  const country = name.slice('budget '.length);
  const place = budgets.findIndex((each) => each.country === country);
  return `/budgets/${place < 0 ? country : place}`;
}
