import cronstrue from 'cronstrue';

/** Describes a cron rule of five fields: `At 02:30, on day 4 of the month`. Null if the rule is invalid. */
export function describeCron(rule: string): string | null {
  if (rule.trim().split(/\s+/).length !== 5) return null;
  try {
    return cronstrue.toString(rule, { use24HourTimeFormat: true, throwExceptionOnParseError: true });
  } catch {
    return null;
  }
}
