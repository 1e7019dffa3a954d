import { useId, useState, type KeyboardEvent } from 'react';
import { TextInput } from './controls.tsx';

export interface ComboboxOption {
  value: string;
  label: string;
  note?: string;
  /** True if the value is an id, which the option does not show beside its label. */
  isOpaque?: boolean;
}

interface ComboboxProps {
  /** Text for screen readers: there is no visible label. */
  label: string;
  placeholder: string;
  text: string;
  options: readonly ComboboxOption[];
  onText: (text: string) => void;
  /** Called with the value of the chosen option, or with the typed text. */
  onChoose: (value: string) => void;
}

/** A search field with its results below. The user may also choose the typed text, even if no result matches it. */
export function Combobox({ label, placeholder, text, options, onText, onChoose }: ComboboxProps) {
  const listId = useId();
  /** Index of the active option. It is -1 until an arrow key is pressed: Enter then chooses the typed text. */
  const [at, setAt] = useState(-1);
  const active = at < options.length ? options[at] : undefined;

  function onKeyDown(event: KeyboardEvent): void {
    const moved = nextOptionIndex(event.key, at, options.length);
    if (event.key === 'Enter') {
      const value = active?.value ?? text.trim();
      if (value !== '') onChoose(value);
    } else if (moved !== undefined) {
      setAt(moved);
    } else return;
    event.preventDefault();
  }

  return (
    <div className="grid gap-1.5">
      <TextInput
        role="combobox"
        aria-label={label}
        aria-expanded={options.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={active && `${listId}-${at}`}
        placeholder={placeholder}
        value={text}
        onText={(typed) => {
          onText(typed);
          setAt(-1);
        }}
        autoFocus
        onKeyDown={onKeyDown}
      />
      <Listbox
        id={listId}
        label={`${label}: found`}
        className="max-h-56 overflow-auto"
        {...{ options, at, onChoose }}
      />
    </div>
  );
}

/** Returns the index that a key leads to; undefined for other keys. Before the first arrow key, the index is -1. */
export function nextOptionIndex(key: string, at: number, count: number): number | undefined {
  const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
  const step = steps[key];
  if (step === undefined || count === 0) return undefined;
  return (Math.max(at, step === 1 ? -1 : 0) + step + count) % count;
}

interface ListboxProps {
  id: string;
  label: string;
  options: readonly ComboboxOption[];
  at: number;
  onChoose: (value: string) => void;
  className?: string;
}

export function Listbox({ id, label, options, at, onChoose, className }: ListboxProps) {
  return (
    <ul id={id} role="listbox" aria-label={label} className={className} hidden={options.length === 0}>
      {options.map((option, index) => (
        <li
          key={option.value}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          className="flex items-center gap-2.5 min-h-7.5 phone:min-h-10 px-2 rounded-md cursor-pointer hover:bg-track aria-selected:bg-track"
          onClick={() => onChoose(option.value)}
        >
          <span className="wrap-anywhere">
            {option.label}
            {option.label !== option.value && option.isOpaque !== true && (
              <span className="t3 sm"> {option.value}</span>
            )}
          </span>
          {option.note !== undefined && <span className="ml-auto t2 sm whitespace-nowrap">{option.note}</span>}
        </li>
      ))}
    </ul>
  );
}
