import type { ComponentProps, ReactNode } from 'react';
import { Icon } from '../icon/icon.tsx';

interface TextInputProps extends Omit<ComponentProps<'input'>, 'onChange' | 'className'> {
  value: string;
  onText: (text: string) => void;
  mono?: boolean;
  unit?: string;
}

export function TextInput({ onText, mono = false, unit, ...rest }: TextInputProps) {
  const input = (
    <input
      autoComplete="off"
      spellCheck={false}
      {...rest}
      className={['inp w-full phone:h-10', mono && 'mono', unit !== undefined && 'pr-14.5'].filter(Boolean).join(' ')}
      onChange={({ target }) => onText(target.value)}
    />
  );
  if (unit === undefined) return input;
  return (
    <span className="relative block">
      {input}
      <span className="absolute right-2.5 top-0 leading-7.5 phone:leading-10 t3 pointer-events-none" aria-hidden="true">
        {unit}
      </span>
    </span>
  );
}

interface TextAreaProps extends Omit<ComponentProps<'textarea'>, 'onChange' | 'className'> {
  value: string;
  onText: (text: string) => void;
  mono?: boolean;
}

export function TextArea({ onText, mono = false, ...rest }: TextAreaProps) {
  return (
    <textarea
      spellCheck={false}
      {...rest}
      className={mono ? 'inp area mono' : 'inp area'}
      onChange={({ target }) => onText(target.value)}
    />
  );
}

export interface Choice<Value extends string> {
  value: Value;
  label: string;
}

interface SelectProps<Value extends string> extends Omit<ComponentProps<'select'>, 'onChange' | 'value' | 'className'> {
  value: Value | '';
  choices: readonly Choice<Value>[];
  onChoose: (value: Value) => void;
  placeholder?: string;
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { value, choices, onChoose, placeholder, ...rest } = props;
  return (
    <span className="relative block">
      <select
        {...rest}
        className={`inp choose ${value === '' ? 't3' : ''}`}
        value={value}
        onChange={({ target }) => {
          const chosen = choices.find((choice) => choice.value === target.value);
          if (chosen) onChoose(chosen.value);
        }}
      >
        {placeholder !== undefined && (
          <option value="" disabled={value !== ''}>
            {placeholder}
          </option>
        )}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      <Icon name="down" size={12} className="absolute right-2.5 top-2.25 phone:top-3.5 t3 pointer-events-none" />
    </span>
  );
}

interface SegmentsProps<Value extends string> {
  label: string;
  value: Value;
  choices: readonly Choice<Value>[];
  onChoose: (value: Value) => void;
}

/** A choice of one of a few options, all of them visible. */
export function Segments<Value extends string>({ label, value, choices, onChoose }: SegmentsProps<Value>) {
  return (
    <div className="seg" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChoose(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </div>
  );
}

interface CheckProps {
  checked: boolean;
  onCheck: (checked: boolean) => void;
  disabled?: boolean;
  children: ReactNode;
}

export function Check({ checked, onCheck, disabled, children }: CheckProps) {
  return (
    <label className="inline-flex items-center gap-2 min-h-6 phone:min-h-10 cursor-pointer">
      <input
        type="checkbox"
        className="size-3.5 m-0 accent-ink"
        checked={checked}
        disabled={disabled}
        onChange={({ target }) => onCheck(target.checked)}
      />
      <span>{children}</span>
    </label>
  );
}
