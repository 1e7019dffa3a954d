/** What is known of a key that was pressed. */
export interface Press {
  key: string;
  shift: boolean;
  /** Ctrl, Alt or ⌘ is held: the browser's own, but for find. */
  modified: boolean;
  /** Into a field, where letters are text. */
  inField: boolean;
}

export interface KeyMatcher {
  /** The command that this press completes, out of those there are now; none while a sequence goes on. */
  press(press: Press, commands: ReadonlySet<string>, nowMs: number): string | undefined;
}

/** So long after `G` the second letter still belongs to it. */
const sequenceMs = 1500;

/**
 * Commands are written as `?`, `J`, `Shift A`, `G C`: single keys, or one after the other. Letters count without regard
 * to case.
 *
 * @param singleKeysOn asked with each press; when off nothing matches but `Escape`
 */
export function createKeyMatcher(singleKeysOn: () => boolean): KeyMatcher {
  let first: { key: string; atMs: number } | undefined;

  return {
    press: (press, commands, nowMs) => {
      const pending = first && nowMs - first.atMs <= sequenceMs ? first.key : undefined;
      first = undefined;
      if (press.modified || press.inField) return undefined;
      const key = nameOf(press);
      if (!singleKeysOn() && key !== 'Escape') return undefined;
      const both = `${pending ?? ''} ${key}`;
      if (pending !== undefined && commands.has(both)) return both;
      if (commands.has(key)) return key;
      if ([...commands].some((command) => command.startsWith(`${key} `))) first = { key, atMs: nowMs };
      return undefined;
    },
  };
}

function nameOf({ key, shift }: Press): string {
  if (key.length > 1) return key;
  const upper = key.toUpperCase();
  return shift && upper !== key.toLowerCase() ? `Shift ${upper}` : upper;
}
