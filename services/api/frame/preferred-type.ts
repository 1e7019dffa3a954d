/**
 * Returns the offered media type that an `Accept` header prefers (RFC 9110, 12.5.1), or the first of several equally
 * preferred types. If none is acceptable, returns the first offered type, because a response in another form is more
 * useful than none.
 */
export function preferredType<Offered extends string>(
  accept: string | undefined,
  offered: readonly [Offered, ...Offered[]],
): Offered {
  const ranges = (accept ?? '*/*').split(',').map(rangeOf);
  let best = offered[0];
  let bestQuality = 0;
  for (const type of offered) {
    const quality = qualityOf(type, ranges);
    if (quality > bestQuality) [best, bestQuality] = [type, quality];
  }
  return best;
}

interface Range {
  type: string;
  quality: number;
}

function rangeOf(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
  return { type, quality: Number.isNaN(quality) ? 0 : quality };
}

/** Returns the quality of the most specific range that matches the type, even if another range has a higher quality. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const [group = ''] = type.split('/');
  for (const wanted of [type, `${group}/*`, '*/*']) {
    const range = ranges.find((candidate) => candidate.type === wanted);
    if (range) return range.quality;
  }
  return 0;
}
