import { Select } from '../controls/controls.tsx';
import { FormField } from '../forms/form-field.tsx';
import type { CanaryThen } from './form.ts';

interface CanaryThenFieldProps {
  value: CanaryThen;
  onChoose: (value: CanaryThen) => void;
  className?: string;
}

const choices = [
  { value: 'pause', label: 'pause, then continue with all variants' },
  { value: 'choose-variant', label: 'pause, then choose one for all others' },
] as const;

/** Field for the decision after a canary of a campaign with variants. */
export function CanaryThenField({ value, onChoose, className }: CanaryThenFieldProps) {
  return (
    <FormField
      pointer="/canary/then"
      label="When the canary users have ended"
      hint={
        value === 'pause'
          ? 'All users are divided among the variants'
          : 'Only the canary users are divided among the variants; all others wait for your choice'
      }
      className={className}
    >
      {(control) => <Select {...control} {...{ value, choices, onChoose }} />}
    </FormField>
  );
}
