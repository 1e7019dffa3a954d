import type { UserFilePreview } from '#client/types.gen.ts';
import { Check, Select } from '../controls/controls.tsx';
import { plainText } from '../words/plain-text.ts';
import { columnFor, hasNumbers, type ColumnChoice } from './column-choice.ts';
import type { FilePreviewQuery } from './use-file-preview.ts';

interface ColumnFieldsProps {
  preview: Pick<FilePreviewQuery, 'data' | 'isPlaceholderData'>;
  choice: ColumnChoice;
  onChoose: (choice: ColumnChoice) => void;
  disabled: boolean;
  /** Countries that may apply to all users; undefined if users of the file have no country. */
  countries?: readonly string[] | undefined;
}

/** Matches column names that the API would take for a country code. */
const code = /^[A-Z]{2}$/;

/** Fields for the column of user ids and, if users have countries, the country column. */
export function ColumnFields({ preview: { data: preview, ...read }, ...props }: ColumnFieldsProps) {
  const { choice, onChoose, disabled, countries } = props;
  const columns = columnsToChoose(preview, choice);
  // While the API reads the file again, `preview` still shows the result for the previous choice, so its header is
  // ignored.
  const isNumbered =
    choice.isWithoutHeader || (preview !== undefined && !read.isPlaceholderData && hasNumbers(preview));
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
          onChoose={(value) =>
            code.test(value) ? onChoose({ ...choice, country: value }) : choose({ country: value })
          }
          disabled={disabled}
        />
      )}
      {columns.length > 0 && (choice.isWithoutHeader || !isNumbered) && (
        <Check
          checked={isNumbered}
          disabled={disabled}
          onCheck={(isWithoutHeader) => onChoose({ user: null, country: countryOf(choice, columns), isWithoutHeader })}
        >
          The first line is a user, not a header
        </Check>
      )}
    </>
  );
}

/** Returns the columns of the file; the chosen columns if the file could not be read. */
function columnsToChoose(preview: UserFilePreview | undefined, { user, country }: ColumnChoice) {
  if (preview !== undefined) return preview.columns;
  const chosen = [user, country].filter((name) => name !== null && !code.test(name));
  return [...new Set(chosen)].flatMap((name) => (name === null ? [] : [{ name, use: 'ignored' as const }]));
}

/**
 * Returns the country choice after the header is switched on or off. A chosen column is cleared, because the columns
 * get other names. A country code for all users stays.
 */
function countryOf({ country }: ColumnChoice, columns: UserFilePreview['columns']): string | null {
  return columns.some(({ name }) => name === country) ? null : country;
}
