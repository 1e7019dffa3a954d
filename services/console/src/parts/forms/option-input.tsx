import { useId, useState, type ComponentProps, type KeyboardEvent } from 'react';
import { Listbox, nextOptionIndex, type ComboboxOption } from '../controls/combobox.tsx';
import { TextInput } from '../controls/controls.tsx';
import type { ControlProps } from './form-field.tsx';
import {
  formatOptionNote,
  describeOptionSource,
  useNamedOption,
  useOptions,
  type OptionsOfParameter,
} from './use-options.ts';

interface OptionInputProps {
  parameter: OptionsOfParameter;
  control: ControlProps;
  /** True if the team that owns the action lists the valid options: the name of the typed option is shown below. */
  isListed: boolean;
  text: string;
  placeholder: string;
  inputMode?: ComponentProps<'input'>['inputMode'];
  onText: (text: string) => void;
}

/** A text field that offers options while it has the focus. */
export function OptionInput(props: OptionInputProps) {
  const { parameter, control, isListed, text, placeholder, inputMode, onText } = props;
  const listId = useId();
  const [isOpen, setOpen] = useState(false);
  /** True once the user has typed since the list was opened. Before, the list offers all options. */
  const [isTyped, setTyped] = useState(false);
  const [at, setAt] = useState(-1);
  const { list } = useOptions(parameter, isTyped ? text : '', isOpen);
  const options: ComboboxOption[] = (list?.items ?? []).map((option) => ({
    value: String(option.value),
    label: option.label ?? String(option.value),
    note: formatOptionNote(option, list?.from ?? 'endpoint', parameter.countries),
  }));
  // If the text equals the only option, the list closes, so that it does not cover the fields below.
  const isTypedOut = isTyped && options.length === 1 && options[0]?.value === text.trim();
  const isListVisible = isOpen && options.length > 0 && !isTypedOut;
  const active = isListVisible ? options[at] : undefined;
  const hint = list && describeOptionSource(list);

  function close(): void {
    setOpen(false);
    setTyped(false);
    setAt(-1);
  }

  function choose(value: string): void {
    onText(value);
    close();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const moved = nextOptionIndex(event.key, at, options.length);
    if (moved !== undefined) {
      setOpen(true);
      if (isListVisible) setAt(moved);
    } else if (event.key === 'Escape' && isListVisible) close();
    else if (event.key === 'Enter' && active) choose(active.value);
    else return;
    event.preventDefault();
  }

  return (
    <div className="relative">
      <TextInput
        {...control}
        role="combobox"
        aria-expanded={isListVisible}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={active && `${listId}-${at}`}
        inputMode={inputMode}
        placeholder={placeholder}
        value={text}
        onText={(typed) => {
          onText(typed);
          setOpen(true);
          setTyped(true);
          setAt(-1);
        }}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onBlur={() => {
          close();
          control.onBlur();
        }}
        onKeyDown={onKeyDown}
      />
      {/* A press inside the list must not move the focus out of the field. */}
      <div className="options" hidden={!isListVisible} onMouseDown={(event) => event.preventDefault()}>
        <Listbox
          id={listId}
          label="Options"
          className="max-h-56 overflow-auto"
          options={isOpen ? options : []}
          at={at}
          onChoose={choose}
        />
        {typeof hint === 'string' && <p className="hint px-2 pb-1">{hint}</p>}
        {list?.more === true && <p className="hint px-2 pb-1">There are more: type to find them.</p>}
      </div>
      {isListed && <OptionName parameter={parameter} text={text} />}
    </div>
  );
}

/** The team's name of the typed option. A value that the team does not list gets a warning, not an error. */
function OptionName({ parameter, text }: { parameter: OptionsOfParameter; text: string }) {
  const { option, isUnknown } = useNamedOption(parameter, text);
  const called = option?.label ?? null;
  if (called !== null) return <p className="hint t2">{called}</p>;
  if (!isUnknown) return null;
  return (
    <p className="hint c-warn" role="status">
      Not in the list of its team. You can use it anyway.
    </p>
  );
}
