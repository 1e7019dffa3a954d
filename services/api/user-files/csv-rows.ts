export const separators = [',', ';', '\t', '|'] as const;

export type Separator = (typeof separators)[number];

const fieldPatterns: Readonly<Record<Separator, RegExp>> = {
  ',': /(?: *"([^"]*(?:""[^"]*)*)" *|([^",]*))(,|$)/y,
  ';': /(?: *"([^"]*(?:""[^"]*)*)" *|([^";]*))(;|$)/y,
  '\t': /(?: *"([^"]*(?:""[^"]*)*)" *|([^"\t]*))(\t|$)/y,
  '|': /(?: *"([^"]*(?:""[^"]*)*)" *|([^"|]*))(\||$)/y,
};

const openQuote = / *"[^"]*(?:""[^"]*)*$/y;

/**
 * Splits a row into fields, with quotes according to RFC 4180. Returns `open` if the last field is quoted and continues
 * in the next line. Returns null if there are quotes in the middle of a text.
 */
export function fieldsOf(row: string, separator: Separator): string[] | 'open' | null {
  if (!row.includes('"')) return row.includes(separator) ? row.split(separator) : [row];
  const fields: string[] = [];
  const field = fieldPatterns[separator];
  field.lastIndex = 0;
  for (;;) {
    const from = field.lastIndex;
    const found = field.exec(row);
    if (!found) {
      openQuote.lastIndex = from;
      return openQuote.test(row) ? 'open' : null;
    }
    const [, quoted, plain = '', end] = found;
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '') return fields;
  }
}

/**
 * Returns true if a line has an odd number of quotes. Only such a line can end a quoted field that began in an earlier
 * line.
 */
export function hasOddQuotes(line: string): boolean {
  let isOdd = false;
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}
