const counts = new Intl.NumberFormat('en-US');
const oneDecimal = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Formats a number with separators: `3,400,000`. */
export function formatCount(count: number): string {
  return counts.format(count);
}

/** Formats an estimate: `11.9 M`; below a million exactly. The caller adds the word "about". */
export function formatEstimate(count: number): string {
  return count >= 1_000_000 ? `${oneDecimal.format(count / 1_000_000)} M` : formatCount(count);
}

/** Formats a share with one decimal, `62.8 %`. Only everything is `100 %`, and only nothing `0 %`. */
export function formatShare(part: number, whole: number): string {
  if (whole <= 0) return '–';
  const percent = (part / whole) * 100;
  if (percent === 0 || percent === 100) return `${percent} %`;
  return `${oneDecimal.format(Math.min(99.9, Math.max(0.1, percent)))} %`;
}

/** Formats a rate per second: whole from ten on, with one decimal below. */
export function formatRate(perSecond: number): string {
  return perSecond >= 10 || perSecond === 0 ? formatCount(Math.round(perSecond)) : oneDecimal.format(perSecond);
}

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
