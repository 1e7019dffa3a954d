import { FormField } from '../forms/form-field.tsx';
import { Select, TextInput } from '../controls/controls.tsx';
import { isSpanUnit, unitWords, type Span, type SpanUnit } from './durations.ts';

interface SpanFieldProps {
  pointer: string;
  label: string;
  hint?: string;
  placeholder?: string;
  value: Span;
  units: readonly SpanUnit[];
  onChange: (span: Span) => void;
}

export function SpanField({ pointer, label, hint, placeholder, value, units, onChange }: SpanFieldProps) {
  return (
    <FormField pointer={pointer} label={label} hint={hint}>
      {(control) => (
        <div className="grid grid-cols-[minmax(56px,1fr)_minmax(88px,1.1fr)] gap-1.5">
          <TextInput
            {...control}
            inputMode="decimal"
            value={value.amount}
            placeholder={placeholder}
            onText={(amount) => onChange({ ...value, amount })}
          />
          <Select
            aria-label={`Unit of ${label.toLowerCase()}`}
            value={value.unit}
            choices={units.map((unit) => ({ value: unit, label: unitWords[unit] }))}
            onChoose={(unit) => isSpanUnit(unit) && onChange({ ...value, unit })}
          />
        </div>
      )}
    </FormField>
  );
}
