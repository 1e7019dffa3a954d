export function countText(count: number): string {
  return count.toLocaleString('en-US');
}

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** Formats a share of users like the console: `0 %` only for no users, `100 %` only for all users. */
export function shareText(part: number, whole: number): string {
  if (whole <= 0) return '–';
  const percent = (part / whole) * 100;
  if (percent === 0 || percent === 100) return `${percent} %`;
  if (percent < 0.01) return '< 0.01 %';
  if (percent > 99.9) return '99.9 %';
  return `${percent < 1 ? percent.toFixed(2) : percent.toFixed(1)} %`;
}
