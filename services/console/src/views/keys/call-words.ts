import type { KeyCalls } from '#client/types.gen.ts';

/** Converts an operation into words: `get run report` for getRunReport. */
export function formatOperation(operation: string): string {
  if (operation === 'none') return 'unknown path';
  return operation.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

export function sumCalls({
  done,
  refused,
  failed,
}: Pick<KeyCalls['days'][number], 'done' | 'refused' | 'failed'>): number {
  return done + refused + failed;
}

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

/** Formats a day of UTC: `Tue 24 Nov` for 2026-11-24. */
export function formatUtcDay(day: string): string {
  return dayFormat.format(new Date(`${day}T00:00:00Z`)).replace(',', '');
}
