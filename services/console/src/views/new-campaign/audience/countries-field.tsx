import { useState } from 'react';
import { FieldGroup } from '../../../parts/forms/form-field.tsx';
import { Icon } from '../../../parts/icon/icon.tsx';

interface CountriesFieldProps {
  countries: readonly string[];
  /** Where action types may be used; empty where that is anywhere. */
  known: readonly string[];
  onChange: (countries: readonly string[]) => void;
  onLeave: () => void;
}

const names = new Intl.DisplayNames('en', { type: 'region' });

/** Codes as tags. Typed ones are taken on Enter, comma, blank, and when the field is left. */
export function CountriesField({ countries, known, onChange, onLeave }: CountriesFieldProps) {
  const [typed, setTyped] = useState('');
  const left = known.filter((country) => !countries.includes(country));
  const add = (text: string) => {
    const codes = text
      .toUpperCase()
      .split(/[^A-Z]+/)
      .filter((code) => code !== '');
    onChange([
      ...countries,
      ...codes.filter((code, index) => !countries.includes(code) && codes.indexOf(code) === index),
    ]);
    setTyped('');
  };
  return (
    <FieldGroup pointer="/countries" label="Countries">
      <div className="inp flex-wrap gap-x-1.5 gap-y-1 h-auto min-h-7.5 py-0.75 px-2">
        {countries.map((country) => (
          <span
            className="tag inline-flex items-center gap-1 bg-surface text-main"
            key={country}
            title={nameOf(country)}
          >
            {country}
            <button
              type="button"
              className="flex -mr-0.75 py-0.75 px-px text-faint hover:text-main phone:py-2.5 phone:px-1.5"
              aria-label={`Remove ${nameOf(country)}`}
              onClick={() => onChange(countries.filter((each) => each !== country))}
            >
              <Icon name="x" size={12} />
            </button>
          </span>
        ))}
        <input
          className="basis-15 h-5.5 phone:h-8"
          aria-label="Add a country by its code"
          placeholder={countries.length === 0 ? 'codes, such as SG' : 'add'}
          value={typed}
          onChange={({ target }) => (/[\s,;]$/.test(target.value) ? add(target.value) : setTyped(target.value))}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && typed !== '') {
              event.preventDefault();
              add(typed);
            }
            if (event.key === 'Backspace' && typed === '') onChange(countries.slice(0, -1));
          }}
          onBlur={() => {
            if (typed !== '') add(typed);
            onLeave();
          }}
        />
      </div>
      {left.length > 0 && (
        <div className="row flex-wrap gap-1 mt-1.5">
          {left.slice(0, 12).map((country) => (
            <button
              type="button"
              className="filt h-6 phone:h-10 phone:min-w-10"
              key={country}
              title={nameOf(country)}
              aria-label={`Add ${nameOf(country)}`}
              onClick={() => onChange([...countries, country])}
            >
              <Icon name="plus" size={12} />
              {country}
            </button>
          ))}
        </div>
      )}
    </FieldGroup>
  );
}

/** `Singapore` for SG; the code where there is no such country. */
function nameOf(country: string): string {
  try {
    return names.of(country) ?? country;
  } catch {
    return country;
  }
}
