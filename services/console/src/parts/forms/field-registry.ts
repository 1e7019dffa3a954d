/** Pointers of the fields that a form shows at present. */
export interface FieldRegistry {
  /** Adds the pointer of a field. Returns a function that removes it. */
  add: (pointer: string) => () => void;
  /** Calls the listener after each change. Returns a function that unsubscribes the listener. */
  subscribe: (listener: () => void) => () => void;
  /** Returns the pointers; the same array until the next change. */
  current: () => readonly string[];
}

export function createFieldRegistry(): FieldRegistry {
  let pointers: readonly string[] = [];
  const listeners = new Set<() => void>();
  const change = (next: readonly string[]) => {
    pointers = next;
    for (const listener of listeners) listener();
  };
  return {
    add: (pointer) => {
      change([...pointers, pointer]);
      return () => change(pointers.toSpliced(pointers.indexOf(pointer), 1));
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    current: () => pointers,
  };
}

/** Returns true if a field shows a problem. A field for a list also shows the problems of the items in the list. */
export function belongsToField(pointer: string, field: string): boolean {
  return pointer === field || pointer.startsWith(`${field}/`);
}
