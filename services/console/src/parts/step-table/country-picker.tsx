import { useId, useRef, useState } from 'react';
import { countryName } from '../words/country-names.ts';
import { Combobox, type ComboboxOption } from '../controls/combobox.tsx';
import { Icon } from '../icon/icon.tsx';

interface CountryPickerProps {
  countries: readonly string[];
  onPick: (country: string) => void;
}

export function CountryPicker({ countries, onPick }: CountryPickerProps) {
  const id = useId();
  const popover = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const options = findCountries(countries, text);
  return (
    <>
      <span className="filt">
        <button type="button" popoverTarget={id} aria-haspopup="dialog" aria-expanded={isOpen}>
          <Icon name="plus" size={12} />
          Country
        </button>
      </span>
      <div
        ref={popover}
        id={id}
        popover="auto"
        role="dialog"
        aria-label="Find a country"
        className="menu at-start"
        onBeforeToggle={({ newState }) => {
          setText('');
          setOpen(newState === 'open');
        }}
      >
        {isOpen && (
          <Combobox
            label="Country"
            placeholder="Code or name"
            text={text}
            options={options}
            onText={setText}
            onChoose={(typed) => {
              const country = chosenOf(options, typed);
              if (country === undefined) return;
              popover.current?.hidePopover();
              onPick(country);
            }}
          />
        )}
      </div>
    </>
  );
}

/** Returns the matching countries: codes or names that begin with the text first, then names that contain it. */
export function findCountries(countries: readonly string[], text: string): ComboboxOption[] {
  const wanted = text.trim().toLowerCase();
  const rankOf = ({ value, label }: ComboboxOption) => {
    const name = label.toLowerCase();
    if (value.toLowerCase() === wanted) return 0;
    if (value.toLowerCase().startsWith(wanted) || name.startsWith(wanted)) return 1;
    return name.includes(wanted) ? 2 : 3;
  };
  return countries
    .map((country) => ({ value: country, label: countryName(country) }))
    .filter((option) => rankOf(option) < 3)
    .sort((a, b) => rankOf(a) - rankOf(b) || a.label.localeCompare(b.label));
}

/** Returns the chosen country: an exact code, else the best match of the typed text. */
function chosenOf(options: readonly ComboboxOption[], typed: string): string | undefined {
  const known = options.find(({ value }) => value.toLowerCase() === typed.toLowerCase());
  return (known ?? (options.length > 0 && typed !== '' ? options[0] : undefined))?.value;
}
