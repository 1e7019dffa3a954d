export interface Span {
  amount: string;
  unit: SpanUnit;
}

export const spanUnits = ['s', 'min', 'h', 'd'] as const;
export type SpanUnit = (typeof spanUnits)[number];

export const unitSeconds: Readonly<Record<SpanUnit, number>> = { s: 1, min: 60, h: 3600, d: 86_400 };

export const unitWords: Readonly<Record<SpanUnit, string>> = { s: 'seconds', min: 'minutes', h: 'hours', d: 'days' };

/** Converts seconds into the largest unit that divides them: 5,400 becomes 90 min. */
export function spanOf(seconds: number): Span {
  const unit = spanUnits.toReversed().find((each) => seconds > 0 && seconds % unitSeconds[each] === 0) ?? 's';
  return { amount: String(seconds / unitSeconds[unit]), unit };
}

export function isSpanUnit(text: string): text is SpanUnit {
  return spanUnits.some((unit) => unit === text);
}
