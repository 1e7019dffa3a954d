import { useState } from 'react';
import { countryName } from '../words/country-names.ts';
import { FieldGroup } from '../forms/form-field.tsx';
import { Icon } from '../icon/icon.tsx';

interface CountriesFieldProps {
  countries: readonly string[];
  /** Countries in which action types may be used; empty if they may be used anywhere. */
  known: readonly string[];
  onChange: (countries: readonly string[]) => void;
  onLeave: () => void;
}

/** Number of countries that are offered at first. */
const offered = 12;

/** Country codes as tags. Typed codes are accepted on Enter, comma or blank, and when the field loses focus. */
export function CountriesField({ countries, known, onChange, onLeave }: CountriesFieldProps) {
  const [typed, setTyped] = useState('');
  const [isAll, setAll] = useState(false);
  const left = known.filter((country) => !countries.includes(country));
  const add = (text: string) => {
    const codes = codesOf(text, known);
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
            title={countryName(country)}
          >
            {country}
            <button
              type="button"
              className="flex -mr-0.75 py-0.75 px-px text-faint hover:text-main phone:py-2.5 phone:px-1.5"
              aria-label={`Remove ${countryName(country)}`}
              onClick={() => onChange(countries.filter((each) => each !== country))}
            >
              <Icon name="x" size={12} />
            </button>
          </span>
        ))}
        <input
          className="basis-15 h-5.5 phone:h-10"
          aria-label="Add a country by its code"
          placeholder={countries.length === 0 ? 'codes, such as SG' : 'add'}
          value={typed}
          onChange={({ target }) =>
            /[\s,;]$/.test(target.value) && !isNameBegun(target.value, known)
              ? add(target.value)
              : setTyped(target.value)
          }
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
          {left.length > 1 && (
            <button type="button" className="filt h-6 phone:h-10" onClick={() => onChange([...countries, ...left])}>
              <Icon name="plus" size={12} />
              {countries.length === 0 ? `All ${left.length} countries` : `The other ${left.length}`}
            </button>
          )}
          {(isAll ? left : left.slice(0, offered)).map((country) => (
            <button
              type="button"
              className="filt h-6 phone:h-10 phone:min-w-10"
              key={country}
              title={countryName(country)}
              aria-label={`Add ${countryName(country)}`}
              onClick={() => onChange([...countries, country])}
            >
              <Icon name="plus" size={12} />
              {country} <span className="t3">{countryName(country)}</span>
            </button>
          ))}
          {left.length > offered && (
            <button type="button" className="link sm px-1 phone:min-h-10" onClick={() => setAll(!isAll)}>
              {isAll ? 'Fewer' : `${left.length - offered} more`}
            </button>
          )}
        </div>
      )}
    </FieldGroup>
  );
}

function isNameBegun(text: string, known: readonly string[]): boolean {
  return known.some((country) => countryName(country).toLowerCase().startsWith(text.toLowerCase()));
}

/** Parses codes separated by blanks or commas, or the name of a known country. */
function codesOf(text: string, known: readonly string[]): string[] {
  const name = text.trim().toLowerCase();
  const byName = known.find((country) => countryName(country).toLowerCase() === name);
  if (byName !== undefined) return [byName];
  return text
    .toUpperCase()
    .split(/[^A-Z]+/)
    .filter((code) => code !== '');
}
