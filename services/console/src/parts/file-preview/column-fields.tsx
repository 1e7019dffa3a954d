import type { UserFilePreview } from '#client/types.gen.ts';
import { Check, Select } from '../controls/controls.tsx';
import { plainText } from '../words/plain-text.ts';
import { columnFor, hasNumbers, type ColumnChoice } from './column-choice.ts';

interface ColumnFieldsProps {
  /** Undefined while the file was not read. */
  preview: UserFilePreview | undefined;
  choice: ColumnChoice;
  onChoose: (choice: ColumnChoice) => void;
  disabled: boolean;
  /** Countries of which all users may be; undefined if users of the file have none. */
  countries?: readonly string[] | undefined;
}

/** Names of columns that could be the code of a country: the API takes them for one. */
const code = /^[A-Z]{2}$/;

/** The column of user ids and, if users have countries, where these are. */
export function ColumnFields({ preview, choice, onChoose, disabled, countries }: ColumnFieldsProps) {
  const columns = preview?.columns ?? [];
  const isNumbered = preview !== undefined && hasNumbers(preview, choice);
  const wordsOf = (name: string) => (isNumbered ? `column ${name}` : `the column ${plainText(name)}`);
  const choose = (part: Partial<ColumnChoice>) =>
    onChoose({ ...choice, isWithoutHeader: choice.isWithoutHeader || isNumbered, ...part });
  const user = choice.user ?? columnFor('user', preview);
  const countryColumns = columns.filter(({ name }) => name !== user && !code.test(name));
  const country = choice.country ?? columnFor('country', preview);
  const isListed = countryColumns.some(({ name }) => name === country) || countries?.includes(country ?? '') === true;
  return (
    <>
      {columns.length > 0 && (
        <Select
          aria-label="Column of user ids"
          value={user ?? ''}
          placeholder="Choose the column of user ids"
          choices={columns.map(({ name }) => ({ value: name, label: `Users: ${wordsOf(name)}` }))}
          onChoose={(name) => choose({ user: name })}
          disabled={disabled}
        />
      )}
      {countries !== undefined && (
        <Select
          aria-label="Country of its users"
          value={isListed && country !== null ? country : ''}
          placeholder={preview === undefined ? 'Countries: the column country' : 'Choose the countries'}
          choices={[
            ...countryColumns.map(({ name }) => ({ value: name, label: `Countries: ${wordsOf(name)}` })),
            ...countries.map((each) => ({ value: each, label: `${each}, all of them` })),
          ]}
          onChoose={(value) => choose({ country: value })}
          disabled={disabled}
        />
      )}
      {columns.length > 0 && (choice.isWithoutHeader || !isNumbered) && (
        <Check
          checked={isNumbered}
          onCheck={(isWithoutHeader) => onChoose({ user: null, country: countryOf(choice, columns), isWithoutHeader })}
        >
          The first line is a user already
        </Check>
      )}
    </>
  );
}

/** Columns have other names with and without a header; a code for all users stays. */
function countryOf({ country }: ColumnChoice, columns: UserFilePreview['columns']): string | null {
  return columns.some(({ name }) => name === country) ? null : country;
}
