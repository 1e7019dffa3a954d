import { TimeInput } from '../controls/time-input.tsx';
import { FormField } from '../forms/form-field.tsx';
import { instantOf } from '../times/zoned-times.ts';
import { useZone } from '../times/zone.ts';

interface DueFieldProps {
  label: string;
  hint: string;
  /** Typed wall-clock time in the chosen time zone. */
  value: string;
  onText: (text: string) => void;
}

/** Field for the due time of a job: a wall-clock time in the time zone of the console. */
export function DueField({ label, hint, value, onText }: DueFieldProps) {
  const { zone, label: clocks } = useZone();
  const wrong = value !== '' && dueInstant(value, zone) === null;
  return (
    <FormField
      pointer="/dueAt"
      label={label}
      note={`on the clocks of ${clocks}`}
      hint={wrong ? 'Such as 2026-12-01 09:00' : hint}
    >
      {(control) => <TimeInput {...control} value={value} onText={onText} data-autofocus />}
    </FormField>
  );
}

/** Converts a typed time into an RFC 3339 instant; null if the text is not a time. */
export function dueInstant(typed: string, zone: string): string | null {
  const text = typed.trim().replace(/\s+/, 'T');
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/.test(text) ? instantOf(text, zone) : null;
}
