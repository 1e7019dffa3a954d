/**
 * Limits the cost of a regular expression before its first use, because expressions of users can take forever
 * (`^(a+)+$` on 40 letters). A product bounds the number of ways to match a text: each part with several lengths or
 * several forms is a factor. Repeated groups are refused, because the product does not bound them.
 */

/** Length of the longest text that is matched with a pattern. */
export const maxMatchedCharacters = 256;

/** Maximum number of ways to match one text: about ten milliseconds. */
const maxWays = 1_000_000;

const maxPatternLength = 200;
const maxRepeats = 1000;

/** Returns the reason why a pattern is not accepted, in words; undefined if the pattern is accepted. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.length > maxPatternLength) return `has to be at most ${maxPatternLength} characters long`;
  try {
    new RegExp(pattern, 'u');
  } catch {
    return 'has to be a regular expression';
  }
  const reader = createPatternReader(pattern);
  const ways = (pattern.startsWith('^') ? 1 : maxMatchedCharacters) * reader.alternatives();
  if (reader.problem() !== undefined) return reader.problem();
  if (ways <= maxWays) return undefined;
  return `could take too long: it can be tried in more than ${maxWays} ways on ${maxMatchedCharacters} characters; begin it with ^, and use fewer of * + ? {} |`;
}

/** The next part of the remaining text: an escape, a class, the opening of a group, or one character. */
const part =
  /^(?:\\(?:u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|\(\??[:=!<]*|.)/su;
const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/;

function createPatternReader(pattern: string) {
  let left = pattern;
  let found: string | undefined;
  const refuse = (problem: string) => void (found ??= problem);

  function take(shape: RegExp): RegExpExecArray | null {
    const taken = shape.exec(left);
    left = left.slice(taken?.[0].length ?? 0);
    return taken;
  }

  /** Reads up to the end of the text or of the group. */
  function alternatives(): number {
    let ways = sequence();
    while (left.startsWith('|')) {
      left = left.slice(1);
      ways += sequence();
    }
    return ways;
  }

  function sequence(): number {
    let ways = 1;
    while (left !== '' && !left.startsWith('|') && !left.startsWith(')')) ways *= quantified();
    return ways;
  }

  function quantified(): number {
    const [text = ''] = take(part) ?? [];
    const isGroup = text.startsWith('(');
    if (isGroup && text !== '(' && text !== '(?:') refuse('must not look ahead or behind, nor name groups');
    if (/^\\[1-9k]/.test(text)) refuse('must not refer to its own groups');
    const ways = isGroup ? group() : 1;
    const [sign, least, comma, most] = take(quantifier) ?? [];
    if (sign === undefined) return ways;
    if (sign.startsWith('?')) return ways + 1;
    if (isGroup) refuse('must not repeat a group: * + and {} are for characters and classes');
    return lengthsOf({ sign, least: Number(least), most: comma === '' ? Number(least) : Number(most) });
  }

  function group(): number {
    const ways = alternatives();
    left = left.slice(1);
    return ways;
  }

  function lengthsOf({ sign, least, most }: { sign: string; least: number; most: number }): number {
    if (!sign.startsWith('{') || most === 0) return maxMatchedCharacters;
    if (most > maxRepeats) refuse(`must not repeat more than ${maxRepeats} times`);
    return Math.min(most - least + 1, maxMatchedCharacters);
  }

  return { alternatives, problem: () => found };
}
