import { styleText } from 'node:util';

/** Few colours, each with one meaning. Painted and plain texts have the same width. */
export interface Paint {
  strong(text: string): string;
  faint(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  accent(text: string): string;
}

export interface View {
  paint: Paint;
  /** Terminal width in cells; infinite if the output is not a terminal. */
  width: number;
}

const plain = (text: string) => text;

export function createPaint(colours: boolean): Paint {
  if (!colours) return { strong: plain, faint: plain, good: plain, bad: plain, accent: plain };
  return { strong: style('bold'), faint: style('dim'), good: style('green'), bad: style('red'), accent: style('cyan') };
}

/**
 * Returns a function that styles a text. `validateStream` is off, because the caller has checked that the target stream
 * has colours.
 */
function style(format: 'bold' | 'dim' | 'green' | 'red' | 'cyan'): (text: string) => string {
  return (text) => (text === '' ? '' : styleText(format, text, { validateStream: false }));
}
