/** Few colours, each with one meaning. Painted or plain, a text takes the same room. */
export interface Paint {
  strong(text: string): string;
  faint(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  accent(text: string): string;
}

const plain = (text: string) => text;

export function createPaint(colours: boolean): Paint {
  if (!colours) return { strong: plain, faint: plain, good: plain, bad: plain, accent: plain };
  return {
    strong: code(1, 22),
    faint: code(2, 22),
    good: code(32, 39),
    bad: code(31, 39),
    accent: code(36, 39),
  };
}

function code(on: number, off: number): (text: string) => string {
  return (text) => (text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`);
}
