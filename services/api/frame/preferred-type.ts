/**
 * Which of the offered media types an `Accept` header likes best (RFC 9110, 12.5.1); among equals the first offered,
 * and that one too when it likes none of them: an answer in another form is of more use than none.
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

/** The most specific range that fits decides, not the kindest. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const [group = ''] = type.split('/');
  for (const wanted of [type, `${group}/*`, '*/*']) {
    const range = ranges.find((candidate) => candidate.type === wanted);
    if (range) return range.quality;
  }
  return 0;
}
