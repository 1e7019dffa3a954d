import type { ComponentProps, ReactNode } from 'react';
import { Icon } from '../icon/icon.tsx';
import styles from './controls.module.css';

interface TextInputProps extends Omit<ComponentProps<'input'>, 'onChange' | 'className'> {
  value: string;
  onText: (text: string) => void;
  mono?: boolean;
  /** Inside it, at its end: a unit. */
  unit?: string;
}

export function TextInput({ onText, mono = false, unit, ...rest }: TextInputProps) {
  const input = (
    <input
      autoComplete="off"
      spellCheck={false}
      {...rest}
      className={['inp', styles['input'], mono && 'mono', unit !== undefined && styles['withUnit']]
        .filter(Boolean)
        .join(' ')}
      onChange={({ target }) => onText(target.value)}
    />
  );
  if (unit === undefined) return input;
  return (
    <span className={styles['united']}>
      {input}
      <span className={styles['unit']} aria-hidden="true">
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
      className={['inp', 'area', styles['area'], mono && 'mono'].filter(Boolean).join(' ')}
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
  /** What stands there while nothing is chosen. */
  placeholder?: string;
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { value, choices, onChoose, placeholder, ...rest } = props;
  return (
    <span className={styles['select']}>
      <select
        {...rest}
        className={['inp', value === '' && styles['unchosen']].filter(Boolean).join(' ')}
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
      <Icon name="down" size={12} />
    </span>
  );
}

interface SegmentsProps<Value extends string> {
  label: string;
  value: Value;
  choices: readonly Choice<Value>[];
  onChoose: (value: Value) => void;
}

/** One of a few, all of them in sight. */
export function Segments<Value extends string>({ label, value, choices, onChoose }: SegmentsProps<Value>) {
  return (
    <div className={`seg ${styles['segments']}`} role="group" aria-label={label}>
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
  children: ReactNode;
}

export function Check({ checked, onCheck, children }: CheckProps) {
  return (
    <label className={styles['check']}>
      <input type="checkbox" checked={checked} onChange={({ target }) => onCheck(target.checked)} />
      <span>{children}</span>
    </label>
  );
}
