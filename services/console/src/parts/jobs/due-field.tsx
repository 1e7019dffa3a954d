import { TimeInput } from '../controls/time-input.tsx';
import { FormField } from '../forms/form-field.tsx';
import { instantOf } from '../when/zoned-times.ts';
import { useZone } from '../times/zone.ts';

interface DueFieldProps {
  label: string;
  /** What an empty field means. */
  hint: string;
  /** As it is typed, on the clocks of the zone that is chosen. */
  value: string;
  onText: (text: string) => void;
}

/** When a job is to be called: a wall-clock time in the zone that times are shown in. */
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

/** In RFC 3339; null where it is no time. */
export function dueInstant(typed: string, zone: string): string | null {
  const text = typed.trim().replace(/\s+/, 'T');
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/.test(text) ? instantOf(text, zone) : null;
}
