import cronstrue from 'cronstrue';

/** A rule of five fields in words, `At 02:30, on day 4 of the month`; null where it is none. */
export function cronInWords(rule: string): string | null {
  if (rule.trim().split(/\s+/).length !== 5) return null;
  try {
    return cronstrue.toString(rule, { use24HourTimeFormat: true, throwExceptionOnParseError: true });
  } catch {
    return null;
  }
}
