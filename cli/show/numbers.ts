const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export function count(value: number): string {
  return grouped.format(value);
}

/** Formats a whole percentage; 100 only for all, and 0 only for none. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–';
  const rounded = Math.round((part / whole) * 100);
  if (part < whole) return `${Math.max(part > 0 ? 1 : 0, Math.min(99, rounded))} %`;
  return '100 %';
}

/** Formats `8 s`, `2 min 05 s`, `1 h 02 min` or `54 d 12 h`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${pad(whole % 60)} s`;
  if (whole < 86_400) return `${Math.floor(whole / 3600)} h ${pad(Math.floor((whole % 3600) / 60))} min`;
  return `${Math.floor(whole / 86_400)} d ${Math.floor((whole % 86_400) / 3600)} h`;
}

/** Formats elapsed minutes and seconds: `00:07`, `61:05`. */
export function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${pad(Math.floor(whole / 60))}:${pad(whole % 60)}`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
