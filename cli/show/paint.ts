import { styleText } from 'node:util';

/** Few colours, each with one meaning. Painted or plain, a text takes the same room. */
export interface Paint {
  strong(text: string): string;
  faint(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  accent(text: string): string;
}

/** Colours and width of the output. */
export interface View {
  paint: Paint;
  /** Cells of a line; infinite where a program reads. */
  width: number;
}

const plain = (text: string) => text;

export function createPaint(colours: boolean): Paint {
  if (!colours) return { strong: plain, faint: plain, good: plain, bad: plain, accent: plain };
  return { strong: style('bold'), faint: style('dim'), good: style('green'), bad: style('red'), accent: style('cyan') };
}

/** Whether colours are welcome is asked elsewhere, of the stream that the text goes to. */
function style(format: 'bold' | 'dim' | 'green' | 'red' | 'cyan'): (text: string) => string {
  return (text) => (text === '' ? '' : styleText(format, text, { validateStream: false }));
}
