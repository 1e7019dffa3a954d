export interface KeyPress {
  key: string;
  shift: boolean;
  /** True if Ctrl, Alt or ⌘ is held: such shortcuts belong to the browser, except for find. */
  modified: boolean;
  /** True if the key was typed into a field, where letters are text. */
  inField: boolean;
}

export interface KeyMatcher {
  /** Returns the command that this press completes; undefined if there is none, or a sequence is under way. */
  press(press: KeyPress, commands: ReadonlySet<string>, nowMs: number): string | undefined;
}

/** Time in milliseconds after `G` during which a second letter completes the sequence. */
const sequenceMs = 1500;

/**
 * Creates a matcher of keyboard commands. Commands are written as `?`, `J`, `Shift A`, `G C`: single keys, or a
 * sequence of two. Letters match regardless of case.
 * @param singleKeysOn called with each press; if it returns false, only `Escape` matches
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

function nameOf({ key, shift }: KeyPress): string {
  if (key.length > 1) return key;
  const upper = key.toUpperCase();
  return shift && upper !== key.toLowerCase() ? `Shift ${upper}` : upper;
}
