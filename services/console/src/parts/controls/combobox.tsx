import { useId, useState, type KeyboardEvent } from 'react';
import { TextInput } from './controls.tsx';

export interface ComboboxOption {
  value: string;
  label: string;
  /** At its end: a size, a use. */
  note?: string;
  /** Its value is nothing that people read. */
  isOpaque?: boolean;
}

interface ComboboxProps {
  /** For screen readers: it stands where its place says what it is. */
  label: string;
  placeholder: string;
  text: string;
  options: readonly ComboboxOption[];
  onText: (text: string) => void;
  /** One that was chosen, or what was typed. */
  onChoose: (value: string) => void;
}

/** A text to search by, and what was found below it. What is typed may be chosen too, whatever was found. */
export function Combobox({ label, placeholder, text, options, onText, onChoose }: ComboboxProps) {
  const listId = useId();
  /** None before an arrow was pressed: Enter then takes what is typed. */
  const [at, setAt] = useState(-1);
  const active = at < options.length ? options[at] : undefined;

  function onKeyDown(event: KeyboardEvent): void {
    const moved = movedAt(event.key, at, options.length);
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

/** The place in a list that a key leads to; undefined where it leads nowhere. Before the first arrow it is -1. */
export function movedAt(key: string, at: number, count: number): number | undefined {
  const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
  const step = steps[key];
  if (step === undefined || count === 0) return undefined;
  return (Math.max(at, step === 1 ? -1 : 0) + step + count) % count;
}

interface ListboxProps {
  id: string;
  label: string;
  options: readonly ComboboxOption[];
  /** The one that the keys are at. */
  at: number;
  onChoose: (value: string) => void;
  className?: string;
}

/** What a combobox found; nothing is seen of an empty one. */
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
